import type { IncomingMessage } from 'node:http'
import type { Lock } from '../lock/lock.ts'
import { type NodeRequest, rawRequest } from './exchange.ts'

type Entry = { readonly lock: Lock | undefined }

// The locks of nested middleware, the innermost last. Their responses may end in any order.
const entries = new WeakMap<IncomingMessage, Set<Entry>>()

/**
 * Returns the lock of a request, that of the innermost `lock()` or `idempotent()` around its handler. It is
 * undefined if there is none, `key` returned null, or `failOpen` let the request pass.
 *
 * @param req - The request of Node, of Express, or of Fastify.
 * @example
 * ```ts
 * app.post('/grade/:id', lock({ redlock, key: gradeKey }), async (req, res) => {
 *   res.json(await grade({ signal: lockOf(req)?.signal })) // aborts when the lock is lost
 * })
 * ```
 */
export const lockOf = (req: NodeRequest): Lock | undefined => {
  const own = entries.get(rawRequest(req))
  return own && [...own].at(-1)?.lock
}

/** Makes it the lock of a request. @returns the function that ends that. */
export const setLock = (req: IncomingMessage, lock: Lock | undefined): (() => void) => {
  const own = entries.get(req) ?? new Set()
  entries.set(req, own)
  const entry: Entry = { lock }
  own.add(entry)
  return () => void own.delete(entry)
}
