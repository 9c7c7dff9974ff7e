import type { Context } from 'hono'
import { readRequestBody } from './body.ts'
import { BadRequest } from './command.ts'
import type { ResolvedGatewayOptions } from './options.ts'
import type { Encoding } from './reply.ts'
import type { JsonResponse } from './run.ts'
import type { StreamResponse } from './subscribe.ts'
import { createSyncTokens } from './sync-token.ts'
import { tokenComparer } from './token.ts'
import { writeJson } from './write-json.ts'

/** Runs the commands in the body of a request. */
export type RunBody = (
  body: Uint8Array,
  encoding: Encoding,
  c: Context,
) => Promise<JsonResponse | StreamResponse>

/** A response whose body is JSON or an event stream. */
type GatewayResponse = {
  readonly status: 200 | 400 | 401 | 405 | 413 | 500 | 503
  readonly headers: Record<string, string>
  readonly body: string | ReadableStream<Uint8Array>
}

const json = { 'content-type': 'application/json' }

const failed = (
  status: GatewayResponse['status'],
  error: string,
  headers = {},
): GatewayResponse => ({
  status,
  headers: { ...json, ...headers },
  body: JSON.stringify({ error }),
})

const gatewayResponseOf = (result: JsonResponse | StreamResponse): GatewayResponse => {
  const { status } = result
  if ('events' in result) {
    // `x-accel-buffering` prevents nginx from buffering the events.
    const headers = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }
    return { status, headers, body: result.events }
  }
  const retry = result.retryAfter && { 'retry-after': String(result.retryAfter) }
  return { status, headers: { ...json, ...retry }, body: writeJson(result.body) }
}

/** Creates a response. Uses Hono, which is slower, only if earlier middleware may have set headers. */
const respond = (c: Context, { status, headers, body }: GatewayResponse): Response =>
  c.req.matchedRoutes.length > 1
    ? c.body(body, status, headers)
    : new Response(body, { status, headers })

/** The challenge for a request without a valid token; undefined if the token is valid. */
const challengeOf = (
  header: string | undefined,
  isToken: (given: string) => boolean,
): string | undefined => {
  if (!header) return 'Bearer realm=""'
  const given = /^bearer \s*([\w.~+/-]+=*)$/i.exec(header)?.[1]
  if (given === undefined) return 'Bearer error="invalid_request"'
  return isToken(given) ? undefined : 'Bearer error="invalid_token"'
}

/**
 * Returns a function that creates the handler of a route. A handler responds with JSON:
 *
 * - 401 to a request without a valid token,
 * - 405 to other methods,
 * - 413 to a body larger than `maxBody` bytes,
 * - 400 to an invalid command,
 * - otherwise the result of `run`, which can also be an event stream.
 */
export const endpoints = ({ token, maxBody }: ResolvedGatewayOptions) => {
  const isToken = tokenComparer(token)
  const nextToken = createSyncTokens()

  const answer = async (
    c: Context,
    methods: readonly string[],
    run: RunBody,
  ): Promise<GatewayResponse> => {
    const { req } = c
    if (!methods.includes(req.method)) {
      const allow = methods.join(', ')
      return failed(405, `ERR method not allowed: use ${allow}`, { allow })
    }
    if ((req.header('upstash-response-format') ?? 'json') !== 'json') {
      return failed(400, 'ERR only json is supported as Upstash-Response-Format')
    }
    try {
      const body = await readRequestBody(req.raw, maxBody)
      if (!body) return failed(413, `ERR max request size exceeded. Limit: ${maxBody} bytes`)
      const isBase64 = req.header('upstash-encoding')?.toLowerCase() === 'base64'
      return gatewayResponseOf(await run(body, isBase64 ? 'base64' : 'text', c))
    } catch (error) {
      if (error instanceof BadRequest) return failed(400, error.message)
      // The request body was cut off, or there is a bug. Do not reveal the cause to the client.
      return failed(500, 'ERR the request could not be processed')
    }
  }

  return (methods: readonly string[], run: RunBody) =>
    async function handle(c: Context): Promise<Response> {
      const challenge = challengeOf(c.req.header('authorization'), isToken)
      if (challenge !== undefined) {
        const given = { 'www-authenticate': challenge }
        return respond(c, failed(401, 'WRONGPASS invalid or missing auth token', given))
      }
      const { headers, ...rest } = await answer(c, methods, run)
      const own = { 'cache-control': 'no-store', 'upstash-sync-token': nextToken() }
      return respond(c, { ...rest, headers: { ...own, ...headers } })
    }
}
