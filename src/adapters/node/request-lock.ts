import type { IncomingMessage } from 'node:http'
import type { Lock } from '../../core/lock/lock.ts'
import { type NodeRequest, rawRequest } from './exchange.ts'

/** The lock that each request exposes to its handler. */
export const locksByRequest: WeakMap<IncomingMessage, Lock | undefined> = new WeakMap()

/**
 * Returns the lock of a request: that of the innermost `lock()` or `idempotent()` around its handler. The result is
 * undefined if there is no such middleware, `key` returned null, or `failOpen` let the request pass.
 *
 * @param req - The Node, Express or Fastify request.
 * @example
 * ```ts
 * app.post('/grade/:id', lock({ redlock, key: gradeKey }), async (req, res) => {
 *   res.json(await grade({ signal: lockOf(req)?.signal })) // aborts when the lock is lost
 * })
 * ```
 */
export const lockOf = (req: NodeRequest): Lock | undefined => locksByRequest.get(rawRequest(req))
