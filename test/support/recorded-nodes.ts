import type { LockNode } from '../../src/index.ts'
import { memoryNode, type MemoryNode } from '../../src/entries/testing.ts'
import { nodeThrough } from '../../tools/node-through.ts'

/** One request that acquires. Each try of a call has a value of its own. */
type Asked = { readonly node: string; readonly value: string; readonly at: number }

/** One try of a call: the nodes that it asked, in order, and when it asked the first. */
type Try = { readonly nodes: readonly string[]; readonly at: number }

/** Nodes in memory, named `a`, `b`, `c` and so on, which note the requests that acquire. */
export type RecordedNodes = {
  readonly servers: readonly MemoryNode[]
  readonly nodes: readonly LockNode[]
  /** The names of the nodes that were asked, in order. */
  readonly asked: () => string[]
  /** The tries of all calls, in order. */
  readonly tries: () => Try[]
}

export const recordedNodes = (count: number): RecordedNodes => {
  const servers = Array.from('abcdefghijk'.slice(0, count), (name) => memoryNode({ name }))
  const requests: Asked[] = []
  const nodes = servers.map((server) =>
    nodeThrough(server, ({ operation, value }, send) => {
      if (operation === 'a') requests.push({ node: server.name, value, at: performance.now() })
      return send()
    }),
  )
  return {
    servers,
    nodes,
    asked: () => requests.map(({ node }) => node),
    tries: () =>
      [...new Set(requests.map(({ value }) => value))].map((value) => {
        const own = requests.filter((request) => request.value === value)
        return { nodes: own.map(({ node }) => node), at: own[0]!.at }
      }),
  }
}
