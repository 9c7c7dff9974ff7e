import { idempotentGate } from '../../idempotency/idempotent-gate.ts'
import type { IdempotencyGateOptions as Options } from '../../idempotency/options.ts'
import { nodeMiddleware, type NodeMiddleware } from './adapter.ts'
import type { NodeRequest, NodeResponse } from './exchange.ts'
import { holdResponse } from './held-response.ts'

/**
 * Options of `idempotent()`. All times are in ms, all sizes in bytes. Functions are called with the request and the
 * response of Node, Express or Fastify. `shouldRecord` gets a `Response` first, with the handler's answer.
 */
export type IdempotentOptions<
  Req extends NodeRequest = NodeRequest,
  Res extends NodeResponse = NodeResponse,
> = Options<[req: Req, res: Res], Response>

/**
 * Idempotency Middleware for Express, Fastify and `node:http`: one of all requests with the same key is processed, and
 * the others get its answer.
 *
 * The key is the value of the header `Idempotency-Key`, within the scope, the method and the path. The answer is
 * recorded on a majority of the nodes before it is sent, and kept for `recordTtl`. An answer that is not recorded, such
 * as a 5xx, releases the key, so that a retry runs.
 *
 * It works before and after a body parser. It leaves a body that it has read to the next reader, and uses `req.body` if
 * the body has already been read.
 *
 * The record has the plain body. While the handler runs, its request has no `accept-encoding` header, so that nothing
 * inside compresses the body.
 *
 * GET, HEAD, OPTIONS and TRACE run without a claim.
 *
 * @param options - The options of the middleware.
 * @returns The middleware, which is also a hook of Fastify. {@link lockOf} returns the lock of a request.
 * @throws `TypeError` or `RangeError` if an option is wrong; the message names it.
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/}
 *
 * @example
 * ```ts
 * const once = idempotent({ redlock, scope: (req: Request) => req.session.userId, wait: 10_000 })
 *
 * app.post('/orders', express.json(), once, async (req, res) => {
 *   const token = await lockOf(req)!.fencingToken() // for a guard, in the transaction that writes
 *   res.status(201).json(await createOrder(req.body, token))
 * })
 * ```
 */
export const idempotent = <
  Req extends NodeRequest = NodeRequest,
  Res extends NodeResponse = NodeResponse,
>(
  options: IdempotentOptions<Req, Res>,
): NodeMiddleware<NoInfer<Req>, NoInfer<Res>> =>
  nodeMiddleware(idempotentGate('idempotent()', options), holdResponse)
