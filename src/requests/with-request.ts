import type { Lock } from '../core/lock/lock.ts'
import type { LockEvent } from '../core/results/events.ts'
import { failsOpen } from '../core/results/node-report.ts'
import { clientOf } from '../client/redlock.ts'
import type { InterceptedClient } from '../core/lock/acquire.ts'
import { Budget } from '../core/process/budget.ts'
import { throwableOf, type ThrownAs, thrownAnswerOf } from '../util/thrown-answer.ts'
import { assertOption } from '../util/validate.ts'
import { type Background, backgroundOf } from './background.ts'
import { discard } from './discard.ts'
import { lendBody } from './lend-body.ts'
import { problem } from './problem-details.ts'
import type { RejectionReason, Rejections, RequestRejection } from './rejections.ts'
import type { Key, PerRequest, RequestOptions, SharedOptions } from './request-options.ts'
import type { RequestScope } from './request-scope.ts'
import { problemType } from '../util/codes.ts'

type SharedState = {
  /**
   * The locks that a request holds, by the objects that identify the request. Nested middleware reenters these locks
   * instead of waiting for them.
   */
  readonly held: WeakMap<object, Lock[]>
  /**
   * The locks of the handler that is being called right now. A framework can copy the request for a handler, as
   * Hono's `app.mount()` does. Middleware that the handler calls uses this list to find the locks of the original.
   */
  caller: readonly Lock[]
  /**
   * The remaining budgets of each HTTP request, by its locks and by the `budget` option of the clients that share one.
   */
  budgets?: WeakMap<readonly Lock[], Map<number, Budget>>
}

// This state is global, because bundling or version conflicts can load several copies of this package into one process.
const shared = ((globalThis as { [key: symbol]: SharedState | undefined })[
  Symbol.for('edge-redlock')
] ??= {
  held: new WeakMap(),
  caller: [],
})

/** Returns the locks that this request holds. Must be called before the first `await`. */
const locksOf = (ids: readonly object[]): Lock[] => {
  const { held, caller } = shared
  // Another version of this package, without `budgets`, may have created `shared`.
  const budgets = (shared.budgets ??= new WeakMap())
  // Copy the caller's locks: requests that a handler sends to the app do not hold each other's locks.
  const locks = ids.map((id) => held.get(id)).find(Boolean) ?? [...caller]
  for (const id of ids) held.set(id, locks)
  // A nested request shares the caller's budget, because the platform counts their requests together.
  if (!budgets.has(locks)) budgets.set(locks, budgets.get(caller) ?? new Map())
  return locks
}

/**
 * Returns a client whose calls share one budget with all other calls for this request.
 *
 * @param keptShare - The share of the remaining requests that a waiting call leaves for the middleware inside it.
 */
export const withinBudget = (
  client: InterceptedClient,
  { held }: Pick<Visit, 'held'>,
  keptShare: number,
): InterceptedClient => {
  const budgets = shared.budgets!.get(held)!
  const requests = budgets.get(client.budget) ?? new Budget(client.budget)
  budgets.set(client.budget, requests)
  requests.keep(keptShare)
  return { ...client, requests }
}

/**
 * Reserves part of the budget for releasing the lock: one request per node. @returns a function that ends the
 * reservation.
 */
export const setEndAside = ({ requests, nodes }: InterceptedClient): (() => void) =>
  requests!.setAside(nodes.length)

/** Calls a handler. Until its first `await`, requests that it starts inherit its locks. */
const callWithin = <T>(locks: readonly Lock[], handler: () => T): T => {
  const before = shared.caller
  shared.caller = locks
  try {
    return handler()
  } finally {
    shared.caller = before
  }
}

/** The response to a request, and whether the handler created it. */
export type HandledResponse = {
  readonly response: Response
  readonly isOwn: boolean
  /** How to throw a replay, if the handler threw its response. */
  readonly thrownAs?: ThrownAs | undefined
}

/** Why a gate rejects a request, and the fields of the rejection that differ from the defaults. */
export type GateRejection = Partial<Omit<RequestRejection, 'type' | 'status' | 'reason'>> & {
  readonly reason: RejectionReason
  /** Additional headers of the default response. */
  readonly headers?: Readonly<Record<string, string>>
}

type Statuses = Readonly<Record<string, number | undefined>>

/** One request on its way through a gate. */
export type Visit<Args extends readonly unknown[] = readonly unknown[]> = Background & {
  readonly scope: RequestScope<Args>
  /** The locks that the request holds. */
  readonly held: Lock[]
  /** Runs the handler. If it throws a response, such as a redirect, that becomes the result. */
  readonly handle: (lock?: Lock) => Promise<Response>
  /** How the handler threw its response; undefined if the handler returned it. */
  readonly thrownAs: () => ThrownAs | undefined
  /** Runs the handler without entering the gate. */
  readonly pass: (lock?: Lock) => Promise<HandledResponse>
}

/** A check that a request must pass before its handler runs: a lock, a throttle or an idempotency key. */
export type Gate<Args extends readonly unknown[]> = {
  /** The `kind` of the events that the gate emits. */
  readonly kind: LockEvent['kind']
  readonly options: SharedOptions<Args, never>
  readonly rejections: Rejections
  /** Whether the gate reads the request and the response, and can replace the response of a handler that has run. */
  readonly readsAnswer?: true
  /** Handles a request, or returns the rejection. */
  readonly enter: (visit: Visit<Args>) => Promise<HandledResponse | GateRejection>
}

// The share of the remaining requests that is kept for nested locks and throttles, of which there are usually one or
// two.
const innerShare = 0.4

/** A gate for requests with a `key`. */
export const keyedGate = <Args extends readonly unknown[]>(
  kind: LockEvent['kind'],
  options: RequestOptions<Args, never>,
  rejections: Rejections,
  enter: (
    visit: Visit<Args>,
    key: Key,
    client: InterceptedClient,
  ) => Promise<HandledResponse | GateRejection>,
): Gate<Args> => ({
  kind,
  options,
  rejections,
  enter: async (visit) => {
    const { args, lent } = visit.scope
    const reader = typeof options.key === 'function' ? lent : undefined
    const key = await lendBody(reader, () => forRequest(options.key, args))
    // A key of another type is a mistake: if a header is missing, for example, the key is undefined.
    assertOption(['string', 'object'].includes(typeof key), 'key', 'text, an array or null', key)
    const client = clientOf(await forRequest(options.redlock, args))
    if (key === null) {
      client.emit?.({ kind, type: 'skipped', keys: [] })
      return visit.pass()
    }
    const entry = await enter(visit, key, withinBudget(client, visit, innerShare))
    const passes =
      options.failOpen &&
      !('isOwn' in entry) &&
      entry.reason === 'unavailable' &&
      failsOpen(kind, entry.nodes ?? [], client.nodes.length)
    return passes ? visit.pass() : entry
  },
})

/** Resolves an option for this request. */
export const forRequest = <T, Args extends readonly unknown[]>(
  option: PerRequest<T, Args>,
  args: Args,
): T | Promise<T> =>
  typeof option === 'function' ? (option as (...request: Args) => T | Promise<T>)(...args) : option

type Handler = (lock: Lock | undefined) => Promise<Response>

/**
 * Creates the visit of a request. `thrown` returns the value that the handler threw, if that was a response.
 */
const visitOf = <Args extends readonly unknown[]>(
  scope: RequestScope<Args>,
  kind: Gate<Args>['kind'],
  background: Background,
  held: Lock[],
  run: Handler,
): { readonly visit: Visit<Args>; readonly thrown: () => unknown } => {
  // If a lock gate let the request pass without a lock, the handler must not see the lock of an outer gate.
  const show = (given: Lock | undefined, shown: Lock | undefined): void => {
    if (given || kind === 'lock') scope.show?.(shown)
  }
  let thrown: unknown
  let thrownAs: ThrownAs | undefined
  const handle: Visit['handle'] = async (lock) => {
    show(lock, lock)
    try {
      return await callWithin(held, () => run(lock))
    } catch (error) {
      const answer = scope.throwsAnswers === false ? undefined : thrownAnswerOf(error)
      if (!answer) throw error
      thrown = error
      thrownAs = answer.as
      return answer.response
    }
  }
  const pass: Visit['pass'] = async (lock) => {
    try {
      return { response: await handle(lock), isOwn: true }
    } finally {
      show(lock, held.at(-1))
      await background.drain()
    }
  }
  const visit = { scope, held, ...background, handle, thrownAs: () => thrownAs, pass }
  return { visit, thrown: () => thrown }
}

/** Returns a response, or throws it if the handler threw it, in this run or in the recorded one. */
const returnOrThrow = (
  answer: HandledResponse,
  ownThrownAs: ThrownAs | undefined,
  thrown: unknown,
): HandledResponse => {
  const { response, isOwn, thrownAs } = answer
  // Throw the original value: the framework recognizes only values that its own functions created.
  if (isOwn && ownThrownAs) throw ownThrownAs === 'response' ? response : thrown
  const again = thrownAs && throwableOf(thrownAs, response)
  // Without a throwable form, return the response: a SvelteKit endpoint would turn its redirect into the same response.
  if (again) throw again
  return answer
}

/** Creates the response to a rejected request: with `onRejected`, or as problem details. */
const reject = async <Args extends readonly unknown[]>(
  { headers, ...rejected }: GateRejection,
  { options, rejections }: Gate<Args>,
  args: Args,
): Promise<HandledResponse> => {
  const { reason, response } = rejected
  const [usual, title, detail, code] = rejections[reason]!
  const status = (options.statuses as Statuses | undefined)?.[reason] ?? usual
  const rejection = { type: problemType(code), detail, ...rejected, status }
  const given = await options.onRejected?.(rejection as RequestRejection<never>, ...args)
  const fits = given === undefined || given instanceof Response
  assertOption(fits, 'onRejected', 'a function that returns a Response or undefined', given)
  // The response from `onRejected` may contain the body of the handler's response, so discard that only by default.
  if (!given) discard(response)
  const about = { ...rejection, title: status === usual ? title : undefined }
  return { response: given ?? problem(about, headers), isOwn: false }
}

/**
 * Handles a request through a gate: `run` calls the handler, unless the gate rejects the request. This function holds
 * everything that does not depend on the kind of gate.
 */
export const withRequest = async <Args extends readonly unknown[]>(
  scope: RequestScope<Args>,
  gate: Gate<Args>,
  run: Handler,
): Promise<HandledResponse> => {
  const { args } = scope
  const held = locksOf(scope.ids)
  const background = backgroundOf(scope.platform, gate.options.waitUntil?.(...args) ?? undefined)
  const { visit, thrown } = visitOf(scope, gate.kind, background, held, run)
  const entry = await gate.enter(visit)
  if ('isOwn' in entry) return returnOrThrow(entry, visit.thrownAs(), thrown())
  try {
    return await reject(entry, gate, args)
  } finally {
    await background.drain()
  }
}
