import type { Lock } from '../lock/lock.ts'

// The locks that a request holds, by the objects that identify it: nested middleware reenters them
// instead of waiting.
const locksByRequest = new WeakMap<object, Lock[]>()

// The locks of the handler that is being called right now. Another framework may copy the request for
// a handler, as `app.mount()` of Hono does: the copy is linked by the call.
let locksOfCaller: readonly Lock[] = []

/** The locks that this request holds. It must be called before anything is awaited. */
export const locksOf = (ids: readonly object[]): Lock[] => {
  const known = ids.find((id) => locksByRequest.has(id))
  // A copy, since the requests that a handler sends do not hold the locks of each other.
  const locks = known ? locksByRequest.get(known)! : [...locksOfCaller]
  for (const id of ids) locksByRequest.set(id, locks)
  return locks
}

/** Calls a handler, as the caller of what it calls before it awaits anything. */
export const callWithin = <T>(locks: readonly Lock[], handler: () => T): T => {
  const before = locksOfCaller
  locksOfCaller = locks
  try {
    return handler()
  } finally {
    locksOfCaller = before
  }
}
