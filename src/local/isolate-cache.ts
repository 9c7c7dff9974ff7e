import type { LockNode } from '../nodes/node.ts'
import { keep } from '../util/bounded-map.ts'

/**
 * What an isolate keeps of a set of nodes for as long as it lives, whoever asks: bindings exist
 * only in a request, so a `Redlock` often lives no longer than that. Plain data only, since on
 * Workers one request must not wait for what another has begun.
 */
export type Memory = {
  /** What the nodes said they are, as far as they were asked. */
  readonly identities: unknown[]
  /** By what is throttled. */
  readonly closed?: Map<string, Closed>
}

/** A window that was found closed. */
export type Closed = {
  /** Reads how many ms it surely stays so. */
  readonly left: () => number
  /** Who has it; undefined where that is a pass of this isolate. */
  readonly holder?: string | undefined
  /** Reads how many ms ago that holder was seen first. */
  readonly age: () => number
}

// So many are kept, of sets of nodes and of closed windows; the oldest goes first.
const mostMemories = 100
const mostWindows = 10_000

// Those reached by a custom fetch by themselves: where that is made for each request, there are many.
const [memories, customMemories] = [new Map<string, Memory>(), new Map<string, Memory>()]

/**
 * The memory of these nodes under this prefix. Where one does not say which server it is, the
 * memory is new, and without windows: nobody knows by which clock they close.
 */
export const memoryOf = (nodes: readonly LockNode[], prefix: string): Memory => {
  const scopes = nodes.map(({ scope }) => scope)
  if (scopes.includes(undefined)) return { identities: [] }
  const id = JSON.stringify([prefix, ...scopes])
  const map = scopes.some((scope) => scope!.includes('/')) ? customMemories : memories
  const memory = map.get(id) ?? { identities: [], closed: new Map() }
  keep(map, id, memory, mostMemories)
  return memory
}

/** Notes that a window is closed. */
export const noteClosed = ({ closed }: Memory, id: string, window: Closed): void => {
  if (closed) keep(closed, id, window, mostWindows)
}
