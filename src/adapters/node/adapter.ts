import { platformOf } from '../../requests/background.ts'
import { ClientGoneError } from '../../requests/client-gone.ts'
import { problem } from '../../requests/problem-details.ts'
import type { RequestScope } from '../../requests/request-scope.ts'
import { type Gate, withRequest } from '../../requests/with-request.ts'
import { madeRequest } from '../../util/made-request.ts'
import { assertOption } from '../../util/validate.ts'
import { warnOnce } from '../../util/warn-once.ts'
import { type Exchange, exchangeOf, type NodeRequest, type NodeResponse } from './exchange.ts'
import { guarded } from './guarded.ts'
import type { Handling, HoldResponse } from './handling.ts'
import { isClosed, isPromise } from './lifetime.ts'
import { payloadReader } from './payload.ts'
import { sendInstead } from './rejection.ts'
import { locksByRequest } from './request-lock.ts'
import { problemType } from '../../util/codes.ts'

/**
 * Middleware for Express, Koa, h3 and similar frameworks. It is also a Fastify hook (`onRequest` or `preHandler`), and
 * a function that wraps an `http` handler.
 *
 * If `next` accepts an error, as in Express, the middleware returns undefined and passes errors to `next`. Otherwise it
 * returns a promise, which rejects with the error of the handler. The promise resolves when the response has been sent.
 * It resolves earlier if the handler's promise resolves before the response has ended, as in Koa.
 */
export type NodeMiddleware<Req extends NodeRequest, Res extends NodeResponse> = (
  req: Req,
  res: Res,
  // oxlint-disable-next-line typescript/no-explicit-any -- the error of Express and Fastify
  next: (error?: any) => unknown,
) => Promise<void> | undefined

/** Creates a `Request` for a Node request. Its signal aborts when the connection closes. */
const requestOfExchange = (exchange: Exchange): Request => {
  const { req, res, path } = exchange
  const controller = new AbortController()
  const abort = guarded((): void => controller.abort(new ClientGoneError()))
  if (isClosed(res)) abort()
  else res.once('close', abort)
  const headers = Object.entries(req.headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => [name, value] as const),
  )
  return madeRequest({
    url: new URL(`http://node${path}`),
    method: req.method ?? 'GET',
    headers,
    read: payloadReader(exchange),
    signal: controller.signal,
  })
}

/** The logger of a Fastify request. */
type Log = { readonly error: (error: unknown) => void }

const failed = {
  type: problemType('ERL16'),
  status: 500,
  title: 'Internal Server Error',
  detail: 'The request has failed.',
}

/** One request to one middleware. */
type NodeVisit<Req extends NodeRequest, Res extends NodeResponse> = {
  readonly gate: Gate<[req: Req, res: Res]>
  readonly hold: HoldResponse
  readonly args: [req: Req, res: Res]
  readonly exchange: Exchange
  readonly next: (error?: unknown) => unknown
  /** Lets the caller of the middleware continue, because the caller ends the response. */
  readonly leave: () => void
  hasLeft?: boolean
  held?: Handling
  /** Restores the request after the handler has run, if it was changed for the handler. */
  restore?: () => void
}

/**
 * Removes `accept-encoding` from the request, so that no inner middleware compresses the body. Unlike a compressed
 * body, a plain one can be replayed to every client.
 */
const hideEncodings = (visit: NodeVisit<NodeRequest, NodeResponse>): void => {
  const { headers } = visit.exchange.req
  const accepted = headers['accept-encoding']
  if (accepted === undefined) return
  delete headers['accept-encoding']
  visit.restore = () => void (headers['accept-encoding'] = accepted)
}

/** Describes a request for a gate. */
const scopeOfExchange = <Req extends NodeRequest, Res extends NodeResponse>(
  visit: NodeVisit<Req, Res>,
): RequestScope<[req: Req, res: Res]> => {
  const { args, exchange } = visit
  const { req, res, reply } = exchange
  let request: Request | undefined
  return {
    args,
    ids: [req],
    get request() {
      return (request ??= requestOfExchange(exchange))
    },
    platform: platformOf([]),
    show: (lock) => void locksByRequest.set(req, lock),
    returned: (response) => response,
    problem: () => visit.held?.problem(),
    // No Node framework turns a thrown value into a response.
    throwsAnswers: false,
    announce: (headers) => {
      for (const [name, value] of Object.entries(headers)) {
        if (reply) reply.header(name, value)
        else if (!res.headersSent) res.setHeader(name, value)
      }
      return true
    },
  }
}

/** Calls a handler. A thrown error becomes a rejected promise, because the handler may have responded before. */
const called = (next: () => unknown): unknown => {
  try {
    return next()
  } catch (error) {
    return Promise.reject(error)
  }
}

/** Calls the handler, and passes its return value to `ended`. @returns the handler's response. */
const run = (visit: NodeVisit<NodeRequest, NodeResponse>, ended: (returned: unknown) => void) => {
  const { exchange, hold, next } = visit
  const held = hold(exchange.res, () => locksByRequest.get(exchange.req)?.expiresIn ?? 0)
  visit.held = held
  const given = called(next)
  // Call `then` only once: a lazy promise, such as a query builder, would otherwise run again.
  const returned = isPromise(given) ? Promise.resolve(given) : given
  ended(returned)
  held.follow(returned)
  const leave = (): void => {
    if (held.hasEnded()) return
    visit.hasLeft = true
    visit.leave()
  }
  if (isPromise(returned)) returned.then(leave, () => {})
  return held.response
}

/**
 * Runs one Node request through a gate. An error of the handler or of the gate goes to `next`. If the error handlers of
 * the framework would no longer run, the error is logged instead.
 *
 * @throws the error, if `next` has no parameter for it.
 */
const answer = async <Req extends NodeRequest, Res extends NodeResponse>(
  visit: NodeVisit<Req, Res>,
): Promise<void> => {
  const { gate, exchange, next } = visit
  let returned: unknown
  try {
    const scope = scopeOfExchange(visit)
    const { response, isOwn } = await withRequest(scope, gate, async (lock) => {
      if (gate.readsAnswer && lock) hideEncodings(visit as never)
      return run(visit as never, (given) => (returned = given))
    }).finally(() => visit.restore?.())
    const { held } = visit
    if (!held) await sendInstead(exchange, response)
    else if (isOwn) held.send(response)
    else await held.replace(response)
    await returned
  } catch (error) {
    const { held } = visit
    if (error instanceof ClientGoneError) return
    // Fastify has already responded, and other frameworks have continued, so their error handlers would not run.
    if (held && (exchange.reply || visit.hasLeft)) {
      const { log } = visit.args[0] as { readonly log?: Log }
      if (log) log.error(error)
      else warnOnce('ERL16', `a request has failed after its handler: ${String(error)}`)
      return held.replace(problem(failed))
    }
    held?.reset()
    // A `next` function without parameters would ignore the error and run the handler.
    if (next.length === 0) throw error
    next(error)
  }
}

/** Creates middleware that runs each request through a gate. `hold` decides which part of the response is held back. */
export const nodeMiddleware = <Req extends NodeRequest, Res extends NodeResponse>(
  gate: Gate<[req: Req, res: Res]>,
  hold: HoldResponse,
): NodeMiddleware<Req, Res> =>
  function middleware(req, res, next) {
    assertOption(typeof next === 'function', 'next', 'a function that calls the handler', next)
    let leave!: () => void
    const left = new Promise<void>((resolve) => (leave = resolve))
    const exchange = exchangeOf(req, res)
    const answered = answer({ gate, hold, args: [req, res], exchange, next, leave })
    // Return no promise to Fastify and h3: Fastify would continue once it resolves, even after a rejection, and h3 would
    // wait for it.
    if (next.length === 0 && !exchange.reply) return Promise.race([answered, left])
    answered.catch((error: unknown) => warnOnce('ERL26', `\`next\` has failed: ${String(error)}`))
    return undefined
  }
