import type { Lock } from '../lock/lock.ts'

type Shared = {
  /**
   * The locks that a request holds, by the objects that identify it: nested middleware reenters them
   * instead of waiting.
   */
  readonly held: WeakMap<object, Lock[]>
  /**
   * The locks of the handler that is being called right now. Another framework may copy the request for
   * a handler, as `app.mount()` of Hono does: the copy is linked by the call.
   */
  caller: readonly Lock[]
}

// Global, since a bundle or two versions may bring several copies of this package into one process.
const shared = ((globalThis as { [key: symbol]: Shared | undefined })[
  Symbol.for('edge-redlock')
] ??= {
  held: new WeakMap(),
  caller: [],
})

/** The locks that this request holds. It must be called before anything is awaited. */
export const locksOf = (ids: readonly object[]): Lock[] => {
  const { held, caller } = shared
  // A copy, since the requests that a handler sends do not hold the locks of each other.
  const locks = ids.map((id) => held.get(id)).find(Boolean) ?? [...caller]
  for (const id of ids) held.set(id, locks)
  return locks
}

/** Calls a handler, as the caller of what it calls before it awaits anything. */
export const callWithin = <T>(locks: readonly Lock[], handler: () => T): T => {
  const before = shared.caller
  shared.caller = locks
  try {
    return handler()
  } finally {
    shared.caller = before
  }
}
