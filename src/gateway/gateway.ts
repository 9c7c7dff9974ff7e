import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { HTTPException } from 'hono/http-exception'
import { endpoint } from './endpoint.ts'
import { parseCommand, parseCommands } from './json.ts'
import { type GatewayOptions, resolveGatewayOptions } from './options.ts'
import { pathCommand } from './path.ts'
import { runCommand, runPipeline, runTransaction } from './run.ts'
import { runSubscription } from './subscribe.ts'
import { isSubscribeCommand } from './subscription.ts'
import { createSyncTokens } from './sync-token.ts'

const onError = (error: Error, c: Context): Response => {
  if (!(error instanceof HTTPException)) {
    // The request body was cut off, or there is a bug. The cause is not sent to the client.
    return c.json({ error: 'ERR the request cannot be answered' }, 500)
  }
  // Only bearerAuth throws these. It responds 400 to a malformed header, while Upstash responds 401.
  const challenge = error.getResponse().headers.get('www-authenticate') ?? 'Bearer'
  return c.json({ error: 'WRONGPASS invalid or missing auth token' }, 401, {
    'www-authenticate': challenge,
  })
}

const responseHeaders = (): MiddlewareHandler => {
  const nextToken = createSyncTokens()
  return async function responseHeaders(c, next) {
    c.header('cache-control', 'no-store')
    c.header('upstash-sync-token', nextToken())
    await next()
  }
}

// Where the app is mounted (`app.route('/redis', gateway(...))`), the path begins with the segments of
// the mount point, which are no part of the command.
const belowMount = (c: Context): { path: string; query: string } => {
  const depth = c.req.routePath.split('/').length - 1
  const { pathname, search } = new URL(c.req.url)
  return { path: pathname.split('/').slice(depth).join('/'), query: search.slice(1) }
}

/**
 * Creates a Hono app that serves a Redis server over the REST protocol of Upstash, for clients that
 * only have `fetch`: `POST /` with a command as a JSON array, `/pipeline`, `/multi-exec`, commands in
 * the path, and `/subscribe` and `/psubscribe` as streams of server-sent events.
 *
 * It responds with `{result}` or `{error}`: 200, 400 (Redis or the gateway rejects the command), 401,
 * 405, 413, or 503 (Redis cannot be reached; with Retry-After, it is not ready). Commands that block a
 * connection, change its state or administer the server are rejected.
 *
 * @throws `TypeError` when an option is wrong; the message names it.
 * @see {@link https://upstash.com/docs/redis/features/restapi}
 * @example
 * ```ts
 * // docs/gateway.md has an adapter for ioredis, which implements the three functions.
 * const app = gateway({ token: process.env.TOKEN, send, transaction, subscribe })
 * serve({ fetch: app.fetch, port: 8079 })
 * ```
 */
export const gateway = (options: GatewayOptions): Hono => {
  const checked = resolveGatewayOptions(options)
  const { token, maxBody } = checked
  const app = new Hono()

  app.use(bearerAuth({ token }), responseHeaders())
  const post = ['POST', 'PUT']
  app.all(
    '/',
    endpoint(post, maxBody, (body, encoding) => runCommand(checked, parseCommand(body), encoding)),
  )
  app.all(
    '/pipeline',
    endpoint(post, maxBody, (body, encoding) =>
      runPipeline(checked, parseCommands(body), encoding),
    ),
  )
  app.all(
    '/multi-exec',
    endpoint(post, maxBody, (body, encoding) =>
      runTransaction(checked, parseCommands(body), encoding),
    ),
  )
  app.all(
    '/*',
    endpoint(['GET', 'HEAD', ...post], maxBody, (body, encoding, c) => {
      const { path, query } = belowMount(c)
      // Hono discards the body of a response to HEAD without cancelling it.
      if (c.req.method !== 'HEAD' && c.req.header('accept')?.includes('text/event-stream')) {
        // The client sends the body `[]` with its subscriptions, which is no channel.
        const command = pathCommand(path, query, new Uint8Array())
        if (isSubscribeCommand(command[0])) {
          return runSubscription(checked, command, c.req.raw.signal)
        }
      }
      return runCommand(checked, pathCommand(path, query, body), encoding)
    }),
  )
  app.onError(onError)
  return app
}
