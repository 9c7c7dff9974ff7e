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
   * The locks that a request holds, by the objects that identify it. Nested middleware reenters them instead of
   * waiting.
   */
  readonly held: WeakMap<object, Lock[]>
  /**
   * The locks of the handler that is being called right now. Another framework may copy the request for a handler, as
   * `app.mount()` of Hono does. The call links that copy to these locks.
   */
  caller: readonly Lock[]
  /**
   * The requests to nodes that are left for a request, by its locks and the `budget` of the clients that share them.
   */
  budgets?: WeakMap<readonly Lock[], Map<number, Budget>>
}

// Global, since a bundle or two versions may load several copies of this package into one process.
const shared = ((globalThis as { [key: symbol]: SharedState | undefined })[
  Symbol.for('edge-redlock')
] ??= {
  held: new WeakMap(),
  caller: [],
})

/** The locks that this request holds. It must be called before the first `await`. */
const locksOf = (ids: readonly object[]): Lock[] => {
  const { held, caller } = shared
  // Another version of this package may have created the object.
  const budgets = (shared.budgets ??= new WeakMap())
  // A copy, since the requests that a handler sends do not hold each other's locks.
  const locks = ids.map((id) => held.get(id)).find(Boolean) ?? [...caller]
  for (const id of ids) held.set(id, locks)
  // The platform counts their requests together.
  if (!budgets.has(locks)) budgets.set(locks, budgets.get(caller) ?? new Map())
  return locks
}

/**
 * The client whose calls share one budget with all other calls for this request.
 *
 * @param keptShare - The share of the remaining requests that a waiting call leaves to the middleware inside it.
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
 * Sets aside the requests to nodes that release the locks of this request. @returns the function that gives them back.
 */
export const setEndAside = ({ requests, nodes }: InterceptedClient): (() => void) =>
  requests!.setAside(nodes.length)

/** Calls a handler. Until it first awaits, it counts as the caller of everything it calls. */
const callWithin = <T>(locks: readonly Lock[], handler: () => T): T => {
  const before = shared.caller
  shared.caller = locks
  try {
    return handler()
  } finally {
    shared.caller = before
  }
}

/** The response to a request, and whether the handler has made it. */
export type HandledResponse = {
  readonly response: Response
  readonly isOwn: boolean
  /** How a replay is thrown, if the handler has thrown its answer. */
  readonly thrownAs?: ThrownAs | undefined
}

/** Why a request is rejected, and the parts of the rejection that differ from its defaults. */
export type GateRejection = Partial<Omit<RequestRejection, 'type' | 'status' | 'reason'>> & {
  readonly reason: RejectionReason
  /** More headers of the default response. */
  readonly headers?: Readonly<Record<string, string>>
}

type Statuses = Readonly<Record<string, number | undefined>>

/** One request on its way through a gate. */
export type Visit<Args extends readonly unknown[] = readonly unknown[]> = Background & {
  readonly scope: RequestScope<Args>
  /** The locks that the request holds. */
  readonly held: Lock[]
  /** Runs the handler. An answer that it throws, such as a redirect, becomes a response as well. */
  readonly handle: (lock?: Lock) => Promise<Response>
  /** How the handler has thrown its answer; undefined if it has returned it. */
  readonly thrownAs: () => ThrownAs | undefined
  /** Answers with the handler, without entering the gate. */
  readonly pass: (lock?: Lock) => Promise<HandledResponse>
}

/** A check that a request must pass before its handler runs: a lock, a throttle or an idempotency key. */
export type Gate<Args extends readonly unknown[]> = {
  /** The subject of its events. */
  readonly kind: LockEvent['kind']
  readonly options: SharedOptions<Args, never>
  readonly rejections: Rejections
  /** Whether it reads the request and the answer, and may answer in place of the handler that has run. */
  readonly readsAnswer?: true
  /** Lets a request in and answers it, or rejects it. */
  readonly enter: (visit: Visit<Args>) => Promise<HandledResponse | GateRejection>
}

// The share of the remaining requests that is kept for locks and throttles inside this one, of which there are mostly
// one or two.
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
    // Anything else is a mistake, such as a missing header.
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

/** The value of an option for this request. */
export const forRequest = <T, Args extends readonly unknown[]>(
  option: PerRequest<T, Args>,
  args: Args,
): T | Promise<T> =>
  typeof option === 'function' ? (option as (...request: Args) => T | Promise<T>)(...args) : option

type Handler = (lock: Lock | undefined) => Promise<Response>

/**
 * Creates the visit of a request. `thrown` returns the value that the handler threw instead of returning its answer.
 */
const visitOf = <Args extends readonly unknown[]>(
  scope: RequestScope<Args>,
  kind: Gate<Args>['kind'],
  background: Background,
  held: Lock[],
  run: Handler,
): { readonly visit: Visit<Args>; readonly thrown: () => unknown } => {
  // A lock that was not acquired hides the one around it.
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

/** Returns an answer. If the handler threw it, in this run or in the replayed one, throws it. */
const returnOrThrow = (
  answer: HandledResponse,
  ownThrownAs: ThrownAs | undefined,
  thrown: unknown,
): HandledResponse => {
  const { response, isOwn, thrownAs } = answer
  // The framework recognizes the value that its own function has created.
  if (isOwn && ownThrownAs) throw ownThrownAs === 'response' ? response : thrown
  const again = thrownAs && throwableOf(thrownAs, response)
  // A SvelteKit endpoint turns its redirect into the same response.
  if (again) throw again
  return answer
}

/** Answers a rejected request: by `onRejected`, or with problem details. */
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
  // The given response may contain it, so it is dropped only if none is given.
  if (!given) discard(response)
  const about = { ...rejection, title: status === usual ? title : undefined }
  return { response: given ?? problem(about, headers), isOwn: false }
}

/**
 * Answers a request through a gate: with its handler, which `run` calls, or with a rejection. Everything that belongs
 * to a request, and not to a single gate, is here.
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
