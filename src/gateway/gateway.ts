import { type Context, Hono } from 'hono'
import { endpoints } from './endpoint.ts'
import { parseCommand, parseCommands } from './json.ts'
import { type GatewayOptions, resolveGatewayOptions } from './options.ts'
import { pathCommand } from './path.ts'
import { runRedisCommand, runPipeline, runTransaction } from './run.ts'
import { runSubscription } from './subscribe.ts'
import { isSubscribeCommand } from './subscription.ts'

// If the app is mounted (`app.route('/redis', gateway(...))`), a path begins with the segments of the mount point,
// which are not a part of the command.
const belowMount = (c: Context, path: string): string =>
  path
    .split('/')
    .slice(c.req.routePath.split('/').length - 1)
    .join('/')

/**
 * Creates a Hono app that serves a Redis server over the REST protocol of Upstash, for clients that have only `fetch`.
 * It supports `POST /` with a command as a JSON array, `/pipeline`, `/multi-exec`, and commands in the path.
 * `/subscribe` and `/psubscribe` are streams of server-sent events.
 *
 * It responds with `{result}` or `{error}`. The status is 200, 400, 401, 405, 413 or 503. A 400 means that Redis or the
 * gateway rejects the command. A 503 means that Redis cannot be reached, or, with Retry-After, that it is not ready.
 * Commands that block a connection, change its state or administer the server are rejected.
 *
 * @throws `TypeError` if an option is wrong; the message names it.
 * @see {@link https://upstash.com/docs/redis/features/restapi}
 * @example
 * ```ts
 * // tools/servers/ioredis.ts implements the three functions.
 * const app = gateway({ token: process.env.TOKEN, send, transaction, subscribe })
 * serve({ fetch: app.fetch, port: 8079 })
 * ```
 */
export const gateway = (options: GatewayOptions): Hono => {
  const checked = resolveGatewayOptions(options)
  const endpoint = endpoints(checked)
  const post = ['POST', 'PUT']
  const routes = new Map([
    [
      '',
      endpoint(post, (body, encoding) => runRedisCommand(checked, parseCommand(body), encoding)),
    ],
    [
      'pipeline',
      endpoint(post, (body, encoding) => runPipeline(checked, parseCommands(body), encoding)),
    ],
    [
      'multi-exec',
      endpoint(post, (body, encoding) => runTransaction(checked, parseCommands(body), encoding)),
    ],
  ])
  const commandInPath = endpoint(['GET', 'HEAD', ...post], (body, encoding, c) => {
    const { pathname, search } = new URL(c.req.url)
    const [path, query] = [belowMount(c, pathname), search.slice(1)]
    // Hono discards the body of a response to HEAD without canceling it.
    if (c.req.method !== 'HEAD' && c.req.header('accept')?.includes('text/event-stream')) {
      // The client sends the body `[]` with its subscriptions, which is not a channel.
      const command = pathCommand(path, query, new Uint8Array())
      if (isSubscribeCommand(command[0])) {
        return runSubscription(checked, command, c.req.raw.signal)
      }
    }
    return runRedisCommand(checked, pathCommand(path, query, body), encoding)
  })
  // One route, since Hono is slower if several match.
  return new Hono().all('/*', (c) => {
    const answer = routes.get(belowMount(c, c.req.path)) ?? commandInPath
    return answer(c)
  })
}
