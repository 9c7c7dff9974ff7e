import { type Context, Hono } from 'hono'
import { endpoints } from './endpoint.ts'
import { parseCommand, parseCommands } from './json.ts'
import { type GatewayOptions, resolveGatewayOptions } from './options.ts'
import { pathCommand } from './path.ts'
import { runRedisCommand, runPipeline, runTransaction } from './run.ts'
import { runSubscription } from './subscribe.ts'
import { isSubscribeCommand } from './subscription.ts'

// Removes the segments of the mount point (`app.route('/redis', gateway(...))`), which are not part of the command.
const belowMount = (c: Context, path: string): string =>
  path
    .split('/')
    .slice(c.req.routePath.split('/').length - 1)
    .join('/')

/**
 * Creates a Hono app that exposes a Redis server over the Upstash REST protocol, for clients that have only `fetch`.
 * The app supports `POST /` with a command as a JSON array, `/pipeline`, `/multi-exec`, and commands in the path.
 * `/subscribe` and `/psubscribe` are streams of server-sent events.
 *
 * Responses contain `{result}` or `{error}`. The status is 200, 400, 401, 405, 413, 500 or 503. A 400 means that Redis
 * or the gateway rejected the command. A 503 means that Redis is unreachable or, with Retry-After, that Redis is not
 * ready. Commands that block a connection, change its state or administer the server are rejected.
 *
 * @throws `TypeError` if an option is invalid; the message names the option.
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
    // Do not subscribe for HEAD: Hono discards the body of its response without canceling the stream.
    if (c.req.method !== 'HEAD' && c.req.header('accept')?.includes('text/event-stream')) {
      // Ignore the body: the client sends `[]`, which is not a channel.
      const command = pathCommand(path, query, new Uint8Array())
      if (isSubscribeCommand(command[0])) {
        return runSubscription(checked, command, c.req.raw.signal)
      }
    }
    return runRedisCommand(checked, pathCommand(path, query, body), encoding)
  })
  // Use one route, because Hono is slower if several routes match.
  return new Hono().all('/*', (c) => {
    const answer = routes.get(belowMount(c, c.req.path)) ?? commandInPath
    return answer(c)
  })
}
