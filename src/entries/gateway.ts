/**
 * Your own Redis behind the REST protocol of Upstash, as a Hono app.
 *
 * @module edge-redlock/gateway
 */
export type { RedisArgument, RedisCommand } from '../gateway/command.ts'
export { gateway } from '../gateway/gateway.ts'
export type { GatewayOptions } from '../gateway/options.ts'
