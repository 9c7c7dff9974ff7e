import type { IncomingMessage } from 'node:http'
import type { Lock } from '../../core/lock/lock.ts'
import { type NodeRequest, rawRequest } from './exchange.ts'

/** The locks that requests show to their handlers. */
export const locksByRequest: WeakMap<IncomingMessage, Lock | undefined> = new WeakMap()

/**
 * Returns the lock of a request: that of the innermost `lock()` or `idempotent()` around its handler. It is undefined
 * if there is none, `key` returned null, or `failOpen` let the request pass.
 *
 * @param req - The request of Node, of Express, or of Fastify.
 * @example
 * ```ts
 * app.post('/grade/:id', lock({ redlock, key: gradeKey }), async (req, res) => {
 *   res.json(await grade({ signal: lockOf(req)?.signal })) // aborts when the lock is lost
 * })
 * ```
 */
export const lockOf = (req: NodeRequest): Lock | undefined => locksByRequest.get(rawRequest(req))
