/**
 * Your own Redis behind the REST protocol of Upstash, as a Hono app.
 *
 * @module edge-redlock/gateway
 */
export type { RedisArgument, RedisCommand } from './command.ts'
export { gateway } from './gateway.ts'
export type { GatewayOptions } from './options.ts'
