import { throttleGate, type ThrottleGateOptions as Options } from '../../requests/throttle-gate.ts'
import { nodeMiddleware, type NodeMiddleware } from './adapter.ts'
import type { NodeRequest, NodeResponse } from './exchange.ts'
import { holdResponse } from './held-response.ts'
import { unheld } from './unheld.ts'

/**
 * Options of `throttle()`. All times are in ms. Functions receive the request and the response of Node, Express or
 * Fastify. `countIf` receives the handler's response first, as a `Response`.
 */
export type ThrottleOptions<
  Req extends NodeRequest = NodeRequest,
  Res extends NodeResponse = NodeResponse,
> = Options<[req: Req, res: Res], Response>

/**
 * Throttle Middleware for Express, Fastify and `node:http`: one request per key passes in each window.
 *
 * Responses report the limit in `RateLimit` headers. Further requests in the window are rejected with problem+json and
 * `Retry-After`; `onRejected` replaces that response.
 *
 * @param options - The options of the middleware.
 * @returns The middleware, which is also a Fastify hook.
 * @throws `TypeError` or `RangeError` if an option is invalid; the message names the option.
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
