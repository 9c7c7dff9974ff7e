import { throttleGate, type ThrottleGateOptions as Options } from '../../requests/throttle-gate.ts'
import { nodeMiddleware, type NodeMiddleware } from './adapter.ts'
import type { NodeRequest, NodeResponse } from './exchange.ts'
import { holdResponse } from './held-response.ts'
import { unheld } from './unheld.ts'

/**
 * Options of `throttle()`. All times are in ms. Functions are called with the request and the response of Node, Express
 * or Fastify. `countIf` gets a `Response` first, with the handler's answer.
 */
export type ThrottleOptions<
  Req extends NodeRequest = NodeRequest,
  Res extends NodeResponse = NodeResponse,
> = Options<[req: Req, res: Res], Response>

/**
 * Throttle Middleware for Express, Fastify and `node:http`: one request per key and window passes.
 *
 * Responses report the limit in `RateLimit` headers. A request inside the window is rejected with problem+json and
 * `Retry-After`; `onRejected` replaces that response.
 *
 * @param options - The options of the middleware.
 * @returns The middleware, which is also a hook of Fastify.
 * @throws `TypeError` or `RangeError` if an option is wrong; the message names it.
 *
 * @example
 * ```ts
 * const countIf = ({ ok }: Response) => ok
 * // Express
 * app.post('/submit', throttle({ redlock, key: userOf, window: 5_000, countIf }), submit)
 * // Fastify
 * app.post('/submit', { preHandler: throttle({ redlock, key: userOf, window: 5_000 }) }, submit)
 * ```
 */
export const throttle = <
  Req extends NodeRequest = NodeRequest,
  Res extends NodeResponse = NodeResponse,
>(
  options: ThrottleOptions<Req, Res>,
): NodeMiddleware<NoInfer<Req>, NoInfer<Res>> =>
  nodeMiddleware(throttleGate('throttle()', options), options.countIf ? holdResponse : unheld)
