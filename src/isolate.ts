import { keep } from './keep.ts'
import type { LockNode } from './nodes/node.ts'

/**
 * What an isolate keeps of a set of nodes for as long as it lives, whoever asks: bindings exist
 * only in a request, so a `Redlock` often lives no longer than that. Plain data only, since on
 * Workers one request must not wait for what another has begun.
 */
export type Memory = {
  /** What the nodes said they are, as far as they were asked. */
  readonly identities: unknown[]
  /** By what is throttled: reads how many ms it surely stays closed. */
  readonly closed?: Map<string, () => number>
}

// So many are kept, of sets of nodes and of closed windows; the oldest goes first.
const mostMemories = 100
const mostWindows = 10_000

const memories = new Map<string, Memory>()

/**
 * The memory of these nodes under this prefix. Where one does not say which server it is, the
 * memory is new, and without windows: nobody knows by which clock they close.
 */
export const memoryOf = (nodes: readonly LockNode[], prefix: string): Memory => {
  const scopes = nodes.map(({ scope }) => scope)
  if (scopes.includes(undefined)) return { identities: [] }
  const id = JSON.stringify([prefix, ...scopes])
  const memory = memories.get(id) ?? { identities: [], closed: new Map() }
  keep(memories, id, memory, mostMemories)
  return memory
}

/** Notes how long a window stays closed. */
export const noteClosed = ({ closed }: Memory, id: string, left: () => number): void => {
  if (closed) keep(closed, id, left, mostWindows)
}
