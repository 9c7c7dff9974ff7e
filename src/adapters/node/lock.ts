import { lockGate, type LockGateOptions as Options } from '../../requests/lock-gate.ts'
import { nodeMiddleware, type NodeMiddleware } from './adapter.ts'
import type { NodeRequest, NodeResponse } from './exchange.ts'
import { holdEnd } from './held-end.ts'
import { holdResponse } from './held-response.ts'

/**
 * Options of `lock()`. All times are in ms. Functions receive the request and the response of Node, Express or Fastify.
 */
export type LockOptions<
  Req extends NodeRequest = NodeRequest,
  Res extends NodeResponse = NodeResponse,
> = Options<[req: Req, res: Res]>

/**
 * Lock Middleware for Express, Fastify and `node:http`: at most one request per key runs at a time.
 *
 * The lock is extended while the request runs, and released just before the end of the response is sent. If the handler
 * returns a promise, as with `node:http` and Koa, the lock lasts until the promise has settled as well. The exception
 * is a handler that waits for the end of its response.
 *
 * If the client disconnects, the lock lasts until the handler has ended. Once the response has begun, Express and
 * Fastify do not report that the handler has ended. The lock is then lost after one TTL, and `lockOf(req).signal`
 * aborts before another request runs.
 *
 * A request that cannot acquire the lock is rejected with problem+json and `Retry-After`; `onRejected` replaces that
 * response.
 *
 * @param options - The options of the middleware.
 * @returns The middleware, which is also a Fastify hook. {@link lockOf} returns the lock of a request.
 * @throws `TypeError` or `RangeError` if an option is invalid; the message names the option.
 *
 * @example
 * ```ts
 * // Express
 * const key = (req: Request<{ id: string }>) => lockKey('grade', req.params.id)
 * app.post('/grade/:id', lock({ redlock, key }), grade)
 * // Fastify
 * app.post('/reports', { preHandler: lock({ redlock, key: 'reports' }) }, report)
 * // node:http
 * const oneAtATime = lock({ redlock, key: 'report' })
 * createServer((req, res) => {
 *   const done = oneAtATime(req, res, () => report(req, res))
 *   done?.catch(() => (res.headersSent ? res.destroy() : res.writeHead(500).end()))
 * })
 * ```
 */
export const lock = <
  Req extends NodeRequest = NodeRequest,
  Res extends NodeResponse = NodeResponse,
>(
  options: LockOptions<Req, Res>,
): NodeMiddleware<NoInfer<Req>, NoInfer<Res>> =>
  nodeMiddleware(
    lockGate('lock()', options),
    options.releaseAfter === 'response' ? holdResponse : holdEnd,
  )
