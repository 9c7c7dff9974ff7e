import { problem } from '../http/problem-details.ts'
import { platformOf } from '../http/background.ts'
import type { RequestScope } from '../http/request-scope.ts'
import { withEarlier } from '../http/with-headers.ts'
import { type Gate, withRequest } from '../http/with-request.ts'
import { madeRequest } from '../util/made-request.ts'
import { assertOption } from '../util/validate.ts'
import {
  type Exchange,
  exchangeOf,
  headersOf,
  type NodeRequest,
  type NodeResponse,
} from './exchange.ts'
import { ClientGoneError, type HeldResponse, type HoldFrom, holdResponse } from './held-response.ts'
import { payloadReader } from './payload.ts'
import { locks } from './request-lock.ts'

/**
 * Middleware of Express, a hook of Fastify (`onRequest` or `preHandler`), and a function that `http` calls around
 * a handler. The promise resolves when the response has been sent, or has been handed to the connection.
 */
export type NodeMiddleware<Req extends NodeRequest, Res extends NodeResponse> = (
  req: Req,
  res: Res,
  // oxlint-disable-next-line typescript/no-explicit-any -- the error of Express and Fastify
  next: (error?: any) => unknown,
) => Promise<void> | undefined

/** The request that a request of Node stands for. Its signal aborts when the client disconnects. */
const requestOf = (exchange: Exchange): Request => {
  const { req, res } = exchange
  const controller = new AbortController()
  const abort = (): void => controller.abort(new ClientGoneError())
  if (res.destroyed) abort()
  else res.once('close', abort)
  // Express leaves the path of a router out of `url`.
  const { originalUrl = req.url ?? '' } = req as { originalUrl?: string }
  const headers = Object.entries(req.headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => [name, value] as const),
  )
  return madeRequest({
    url: new URL(`http://node${originalUrl.startsWith('/') ? '' : '/'}${originalUrl}`),
    method: req.method ?? 'GET',
    headers,
    read: payloadReader(exchange),
    signal: controller.signal,
  })
}

/** Sends a response in place of the handler, which has not run. */
const sendInstead = async ({ res, reply }: Exchange, response: Response): Promise<void> => {
  // `onRefused` may have answered by itself.
  if (res.headersSent || res.writableEnded) return
  const bytes = new Uint8Array(await response.arrayBuffer())
  const body = bytes.length > 0 ? bytes : undefined
  if (!reply) {
    const { status, headers } = withEarlier(response, headersOf(res.getHeaders()))
    for (const name of res.getHeaderNames()) res.removeHeader(name)
    for (const [name, value] of headers) res.appendHeader(name, value)
    res.statusCode = status
    // Middleware that has replaced `end` may write the body before it.
    if (body) res.setHeader('content-length', body.length)
    res.end(body)
    return
  }
  // Fastify has its own headers, and hooks for what is sent.
  const earlier = headersOf(reply.getHeaders())
  reply.code(response.status)
  for (const [name, value] of withEarlier(response, earlier).headers) {
    if (name !== 'set-cookie' || !earlier.getSetCookie().includes(value)) reply.header(name, value)
  }
  reply.send(body)
}

const isPromise = (given: unknown): given is PromiseLike<unknown> =>
  typeof (Object(given) as { then?: unknown }).then === 'function'

/** The log of a request of Fastify. */
type Log = { readonly error: (error: unknown) => void }

const failed = { status: 500, title: 'Internal Server Error', detail: 'The request has failed.' }

/** Answers one request of Node by a gate. */
const answer = async <Req extends NodeRequest, Res extends NodeResponse>(
  gate: Gate<[req: Req, res: Res]>,
  from: HoldFrom,
  [req, res]: [req: Req, res: Res],
  next: (error?: unknown) => unknown,
): Promise<void> => {
  const exchange = exchangeOf(req, res)
  let request: Request | undefined
  let held: HeldResponse | undefined
  let returned: unknown
  const scope: RequestScope<[req: Req, res: Res]> = {
    args: [req, res],
    ids: [exchange.req],
    get request() {
      return (request ??= requestOf(exchange))
    },
    platform: platformOf([]),
    show: (lock) => void locks.set(exchange.req, lock),
    returned: (response) => response,
  }
  try {
    const { response, isOwn } = await withRequest(scope, gate, async () => {
      const patience = (): number => locks.get(exchange.req)?.expiresIn ?? 0
      const holding = holdResponse(exchange.res, from, patience)
      held = holding
      returned = next()
      if (!isPromise(returned)) return holding.response
      // Only a handler of `http` tells when it has ended. Express and Fastify answer the errors of theirs.
      const ended = Promise.resolve(returned).then(holding.handlerEnded)
      return Promise.race([holding.response, ended.then(() => holding.response)])
    })
    if (!held) await sendInstead(exchange, response)
    else if (isOwn) held.send(response)
    else await held.replace(response)
    await returned
  } catch (error) {
    if (error instanceof ClientGoneError) return
    // Fastify has answered already, so its error handler would not run.
    if (held && exchange.reply) {
      ;(req as { readonly log?: Log }).log?.error(error)
      return held.replace(problem(failed))
    }
    held?.reset()
    // A `next` without a parameter would run the handler in spite of the error.
    if (next.length === 0) throw error
    next(error)
  }
}

/** Middleware that answers by a gate, and holds the response of the handler back from there. */
export const middlewareOf = <Req extends NodeRequest, Res extends NodeResponse>(
  gate: Gate<[req: Req, res: Res]>,
  from: HoldFrom,
): NodeMiddleware<Req, Res> =>
  function middleware(req, res, next) {
    assertOption(typeof next === 'function', 'next', 'a function that calls the handler', next)
    const answered = answer(gate, from, [req, res], next)
    // Fastify would go on when a promise resolves, also after a refusal.
    return 'raw' in req ? undefined : answered
  }
