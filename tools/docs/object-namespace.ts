import type { RedlockNamespace } from '../../src/entries/durable-object.ts'

type Node = { readonly run: (...call: unknown[]) => Promise<unknown> }

/** Creates a namespace of in-process Durable Objects for the examples. */
export const objectNamespace = (): RedlockNamespace => {
  const objects = new Map<string, Promise<Node>>()
  const create = async (name: string): Promise<Node> => {
    // Load the class only for examples with objects, because it requires `hooks.ts`.
    const { RedlockNode } = await import('../../src/entries/durable-object.ts')
    return new (RedlockNode as unknown as new (id: string) => Node)(name)
  }
  return {
    idFromName: (name) => ({ name }),
    get: (id) => {
      const { name } = id as { name: string }
      const object = objects.get(name) ?? create(name)
      objects.set(name, object)
      return { run: async (...call: unknown[]) => (await object).run(...call) }
    },
  }
}
