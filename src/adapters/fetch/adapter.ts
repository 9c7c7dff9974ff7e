import { platformOf } from '../../requests/background.ts'
import { bodyReadBefore } from '../../requests/lend-body.ts'
import type { RequestScope } from '../../requests/request-scope.ts'
import { type Gate, withRequest } from '../../requests/with-request.ts'
import { responseOf } from '../lambda/response.ts'
import { resultOf } from '../lambda/result.ts'
import type { Lock } from '../../core/lock/lock.ts'
import { isMessage, routeOf } from '../../util/thrown-answer.ts'
import { checkFunction } from '../../util/validate.ts'
import { outcomeOfH3 } from './h3-result.ts'
import { inputOf, rejectNodeHandler } from './input.ts'
import { coded } from '../../util/codes.ts'

type Callback = (error?: unknown, result?: unknown) => void

/**
 * Calls the wrapped handler. A Lambda handler with three parameters that returns nothing responds through its third
 * argument, a callback. The returned promise then resolves when the handler calls it.
 */
const callHandler = <Rest extends readonly unknown[]>(
  handler: (...args: [input: unknown, env: unknown, ctx: unknown, ...Rest]) => unknown,
  [input, env, ctx]: readonly [input: unknown, env: unknown, ctx: unknown],
  ...rest: Rest
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const isLambda = typeof ctx === 'function'
    const callback: Callback = (error, result) => (error ? reject(error) : resolve(result))
    const answer = handler(input, env, isLambda ? callback : ctx, ...rest)
    if (!isLambda || answer !== undefined || handler.length < 3) resolve(answer)
  })

/** The arguments that a platform passes: a request or an event, bindings, and a context. */
export type FunctionArgs<Input, Env, Ctx> = [input: Input, env: Env, ctx: Ctx]

/** The arguments that a wrapped function requires: `env` and `ctx` only if the options or the handler type them. */
type RequiredArgs<Input, Env, Ctx> = unknown extends Ctx
  ? unknown extends Env
    ? [input: Input, env?: Env, ctx?: Ctx]
    : [input: Input, env: Env, ctx?: Ctx]
  : [input: Input, env: Env, ctx: Ctx]

/** A function that a platform can call. The type is precise because Next.js checks the second argument. */
export type PlatformFunction<Input, Env, Ctx, Output> = (
  ...request: RequiredArgs<Input, Env, Ctx>
) => Promise<Output>

/** The handler of a request. Its fourth argument is the lock. */
type Handler<Input, Env, Ctx, Output> = (
  ...args: [...FunctionArgs<Input, Env, Ctx>, lock: Lock | undefined]
) => Output | PromiseLike<Output>

const unreadable =
  'the status, a header or the body of a result cannot be read, so a repeated request gets a 409 in its place'

const notRepeated = 'a repeated request gets a 409 in its place'

/** A handler's result as a response to record, or the reason why it cannot be one. */
type Delivery = {
  readonly response: Response
  /** A warning. The request has been processed, so it is recorded without its response. */
  readonly problem?: string
  /** The error to throw instead of returning the result, which the platform could not send. */
  readonly error?: TypeError
  /** Whether to send the response instead of the result. */
  readonly isInPlace?: boolean
}

const isResponse = isMessage

/** Converts the result of a handler for a gate that records it. @throws an error that the handler returned to h3. */
const outcomeOf = ([input, env]: readonly unknown[], kind: string, result: unknown): Delivery => {
  if (kind === 'h3') {
    const { problem, ...outcome } = outcomeOfH3(input, env, result)
    return problem === undefined ? outcome : { ...outcome, problem: `${problem}: ${notRepeated}` }
  }
  if (isResponse(result)) return { response: result as Response, isInPlace: true }
  const response = Response.error()
  if (kind !== 'lambda') {
    const mistake = `\`handler\` must be a function that returns a Response; got ${result === null ? 'null' : typeof result}`
    const error = new TypeError(coded('ERL01', mistake))
    return { response, problem: `${mistake}: ${notRepeated}`, error }
  }
  try {
    return { response: responseOf(result) }
  } catch {
    return { response, problem: unreadable }
  }
}

const readTwice = (): Promise<never> => Promise.reject(bodyReadBefore())

/** Handles one call of a wrapped function. Converts an event to a request, and a response to the result for it. */
const answer = async <Args extends FunctionArgs<unknown, unknown, unknown>>(
  gate: Gate<Args>,
  handler: Handler<unknown, unknown, unknown, unknown>,
  args: Args,
): Promise<unknown> => {
  const [input, env, ctx] = args
  const given = inputOf(input)
  let request: Request | undefined
  let result: unknown
  let hasReturned = false
  let outcome: Delivery | undefined
  const scope: RequestScope<Args> = {
    args,
    ids: given.own ? [Object(input), given.own] : [Object(input)],
    get request() {
      return (request ??= given.request())
    },
    url: given.url,
    lent: given.own,
    platform: platformOf([
      ctx,
      env,
      (Object(input) as { platform?: { ctx?: unknown } }).platform?.ctx,
    ]),
    copyBody: readTwice,
    // If the handler threw, there is no result, so pass the response.
    returned: (response) => (hasReturned && !isResponse(result) ? result : response),
    problem: () => outcome?.problem,
  }
  const { response, isOwn } = await withRequest(scope, gate, async (lock) => {
    result = await callHandler(handler, args, lock)
    // Throw a TanStack redirect: only then does its record include the route options, without which it has no location.
    // The framework accepts thrown responses, too.
    if (gate.readsAnswer && isResponse(result) && routeOf(result as Response)) throw result
    // A gate that does not read the response receives a placeholder for any other result, and the result is returned
    // unchanged.
    outcome = gate.readsAnswer
      ? outcomeOf(args, given.kind, result)
      : { response: isResponse(result) ? (result as Response) : Response.error() }
    hasReturned = true
    return outcome.response
  })
  if (!isOwn) given.dropRest?.()
  else if (outcome?.error) throw outcome.error
  else if (outcome?.isInPlace || isResponse(result)) return response
  else return result
  return given.kind === 'lambda' ? resultOf(input, response) : response
}

/** Wraps a handler in a gate, as a function that a platform can call. */
export const platformFunction = <Input, Env, Ctx, Output>(
  gate: Gate<FunctionArgs<Input, Env, Ctx>>,
  handler: Handler<Input, Env, Ctx, Output>,
): PlatformFunction<Input, Env, Ctx, Output> => {
  checkFunction('handler', handler)
  // Rest parameters keep `length` at 0: Lambda passes a callback to a handler with three parameters.
  return function handle(...passed) {
    const [input, env, ctx] = passed as FunctionArgs<Input, Env, Ctx>
    // Throw synchronously instead of rejecting: Node's http and Express 4 handle only thrown errors.
    rejectNodeHandler(input, env)
    return answer(gate, handler as Handler<unknown, unknown, unknown, unknown>, [
      input,
      env,
      ctx,
    ]) as Promise<Output>
  }
}
