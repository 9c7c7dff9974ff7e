import { idempotentGate } from '../../idempotency/idempotent-gate.ts'
import type { IdempotencyGateOptions as Options } from '../../idempotency/options.ts'
import { nodeMiddleware, type NodeMiddleware } from './adapter.ts'
import type { NodeRequest, NodeResponse } from './exchange.ts'
import { holdResponse } from './held-response.ts'

/**
 * Options of `idempotent()`. All times are in ms, all sizes in bytes. Functions receive the request and the response of
 * Node, Express or Fastify. `shouldRecord` receives the handler's response first, as a `Response`.
 */
export type IdempotentOptions<
  Req extends NodeRequest = NodeRequest,
  Res extends NodeResponse = NodeResponse,
> = Options<[req: Req, res: Res], Response>

/**
 * Idempotency Middleware for Express, Fastify and `node:http`: the first request with a key is processed, and repeated
 * requests receive the same response.
 *
 * The key is the value of the `Idempotency-Key` header, within the scope, the method and the path. The response is
 * recorded on a majority of the nodes before it is sent, and kept for `recordTtl`. If a response is not recorded, such
 * as a 5xx, the key is released, so that a retry runs.
 *
 * The middleware works before and after a body parser. After it has read a body, the next reader can read the body
 * again. If the body has already been read, the middleware uses `req.body`.
 *
 * The record contains the uncompressed body. While the handler runs, its request has no `accept-encoding` header, so
 * that no inner middleware compresses the body.
 *
 * GET, HEAD, OPTIONS and TRACE requests run without a claim.
 *
 * @param options - The options of the middleware.
 * @returns The middleware, which is also a Fastify hook. {@link lockOf} returns the lock of a request.
 * @throws `TypeError` or `RangeError` if an option is invalid; the message names the option.
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
