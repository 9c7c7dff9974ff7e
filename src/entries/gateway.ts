/**
 * A Hono app that exposes your own Redis server through the Upstash REST API.
 *
 * @module edge-redlock/gateway
 */
export type { RedisArgument, RedisCommand } from '../gateway/command.ts'
export { gateway } from '../gateway/gateway.ts'
export type { GatewayOptions } from '../gateway/options.ts'
