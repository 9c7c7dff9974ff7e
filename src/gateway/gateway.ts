import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { HTTPException } from 'hono/http-exception'
import { endpoint } from './endpoint.ts'
import { parseCommand, parseCommands } from './json.ts'
import { checkOptions, type GatewayOptions } from './options.ts'
import { pathCommand } from './path.ts'
import { runCommand, runPipeline, runTransaction } from './run.ts'

const onError = (error: Error, c: Context): Response => {
  if (!(error instanceof HTTPException)) {
    // The body broke off, or a bug: in either case the cause stays here.
    return c.json({ error: 'ERR the request cannot be answered' }, 500)
  }
  // Only bearerAuth throws these. It has 400 for a malformed header, where Upstash has 401.
  const challenge = error.getResponse().headers.get('www-authenticate') ?? 'Bearer'
  return c.json({ error: 'WRONGPASS invalid or missing auth token' }, 401, {
    'www-authenticate': challenge,
  })
}

const answerHeaders: MiddlewareHandler = async function answerHeaders(c, next) {
  // A client sends the last token back to read its own writes from a replica that is behind. One
  // primary is never behind, so that any constant will do.
  c.header('upstash-sync-token', '0')
  c.header('cache-control', 'no-store')
  await next()
}

// Below a mount point (`app.route('/redis', gateway(...))`) the path has segments of its own.
const mounted = (c: Context): { path: string; query: string } => {
  const depth = c.req.routePath.split('/').length - 1
  const { pathname, search } = new URL(c.req.url)
  return { path: pathname.split('/').slice(depth).join('/'), query: search.slice(1) }
}

/**
 * A Hono app that puts a Redis server behind the REST protocol of Upstash, so that clients which
 * only have `fetch` reach it: `POST /` with a command as a JSON array, `/pipeline`, `/multi-exec`,
 * and commands in the path. Answers `{result}` or `{error}`: 200, 400 (Redis or the gateway refuses
 * the command), 401, 405, 413, 503 (Redis is out of reach). Commands that block or change the
 * state of a connection, and those that administer the server, are refused.
 *
 * @throws {TypeError} when an option is not what it should be.
 * @see {@link https://upstash.com/docs/redis/features/restapi}
 * @example
 * ```ts
 * const redis = new Redis({
 *   maxRetriesPerRequest: 0,
 *   autoResendUnfulfilledCommands: false, // never send a command twice
 *   enableReadyCheck: false, // it would hold commands back for up to 10 s while Redis is loading
 * })
 * const binary = (arg: RedisArgument) => (typeof arg === 'string' ? arg : Buffer.from(arg))
 *
 * const app = gateway({
 *   token: process.env.TOKEN,
 *   send: ([name, ...args]) => redis.callBuffer(name, ...args.map(binary)),
 *   transaction: async (commands) => {
 *     const own = redis.duplicate()
 *     try {
 *       const multi = own.multi()
 *       for (const [name, ...args] of commands) multi.callBuffer(name, ...args.map(binary))
 *       const replies = await multi.exec()
 *       return replies.map(([error, reply]) => error ?? reply)
 *     } finally {
 *       own.disconnect()
 *     }
 *   },
 * })
 * serve({ fetch: app.fetch, port: 8079 })
 * ```
 */
export const gateway = (options: GatewayOptions): Hono => {
  const checked = checkOptions(options)
  const { token, maxBody } = checked
  const app = new Hono()

  app.use(bearerAuth({ token }), answerHeaders)
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
      const { path, query } = mounted(c)
      return runCommand(checked, pathCommand(path, query, body), encoding)
    }),
  )
  app.onError(onError)
  return app
}
