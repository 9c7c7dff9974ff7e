import type { RedlockNamespace } from '../../src/entries/durable-object.ts'

type Node = { readonly run: (...call: unknown[]) => Promise<unknown> }

/** A namespace of Durable Objects in this process, for the examples. */
export const objectNamespace = (): RedlockNamespace => {
  const objects = new Map<string, Promise<Node>>()
  const create = async (name: string): Promise<Node> => {
    // Only examples with objects load the class, which needs `hooks.ts`.
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
