import type { Lock } from '../lock/lock.ts'
import type { LockEvent } from '../reports/events.ts'
import { clientOf } from '../redlock.ts'
import type { InterceptedClient } from '../acquire/acquire.ts'
import { assertOption } from '../util/validate.ts'
import { type Background, backgroundOf } from './background.ts'
import { discard } from './discard.ts'
import { problem } from './problem-details.ts'
import type { RefusalReason, Refusals, RequestRefusal } from './refusals.ts'
import { forRequest, type RequestOptions, type SharedOptions } from './request-options.ts'
import type { RequestScope } from './request-scope.ts'
import { withHeaders } from './with-headers.ts'

type Shared = {
  /**
   * The locks that a request holds, by the objects that identify it: nested middleware reenters them
   * instead of waiting.
   */
  readonly held: WeakMap<object, Lock[]>
  /**
   * The locks of the handler that is being called right now. Another framework may copy the request for
   * a handler, as `app.mount()` of Hono does: the copy is linked by the call.
   */
  caller: readonly Lock[]
}

// Global, since a bundle or two versions may bring several copies of this package into one process.
const shared = ((globalThis as { [key: symbol]: Shared | undefined })[
  Symbol.for('edge-redlock')
] ??= {
  held: new WeakMap(),
  caller: [],
})

/** The locks that this request holds. It must be called before anything is awaited. */
const locksOf = (ids: readonly object[]): Lock[] => {
  const { held, caller } = shared
  // A copy, since the requests that a handler sends do not hold the locks of each other.
  const locks = ids.map((id) => held.get(id)).find(Boolean) ?? [...caller]
  for (const id of ids) held.set(id, locks)
  return locks
}

/** Calls a handler, as the caller of what it calls before it awaits anything. */
const callWithin = <T>(locks: readonly Lock[], handler: () => T): T => {
  const before = shared.caller
  shared.caller = locks
  try {
    return handler()
  } finally {
    shared.caller = before
  }
}

/** The response to a request, and whether it is the one that the handler has made. */
export type Answer = { readonly response: Response; readonly isOwn: boolean }

/** Why a request is refused, and what the refusal says beside its default text. */
export type Refused = Partial<Omit<RequestRefusal, 'status' | 'reason'>> & {
  readonly reason: RefusalReason
  /** More headers of the default response. */
  readonly headers?: Readonly<Record<string, string>>
}

type Statuses = Readonly<Record<string, number | undefined>>

/** One request on its way through a gate. */
export type Visit<Args extends readonly unknown[] = readonly unknown[]> = Background & {
  readonly scope: RequestScope<Args>
  /** The locks that the request holds. */
  readonly held: Lock[]
  /** Runs the handler. */
  readonly handle: (lock?: Lock) => Promise<Response>
  /** Answers with the response of the handler, and adds headers to it. */
  readonly own: (response: Response, headers?: Readonly<Record<string, string>>) => Answer
  /** Answers by the handler without entering. */
  readonly pass: (lock?: Lock) => Promise<Answer>
  readonly refuse: (refused: Refused) => Promise<Answer>
}

/** What a request has to pass before its handler runs: a lock, a throttle or an idempotency key. */
export type Gate<Args extends readonly unknown[], Key = unknown> = {
  /** What its events are about. */
  readonly kind: LockEvent['kind']
  readonly options: SharedOptions<Args, never> & {
    readonly failOpen?: boolean
  }
  readonly refusals: Refusals
  /** Whether it reads the request and the answer, and may answer in place of the handler that has run. */
  readonly readsAnswer?: true
  /** What the request asks for, or its answer if it does not have to enter. Default: the option `key`. */
  readonly keyOf?: (visit: Visit<Args>) => Promise<{ readonly key: Key } | Answer>
  /** Lets a request in, and returns what answers it; or refuses it. */
  readonly enter: (
    visit: Visit<Args>,
    key: Key,
    client: InterceptedClient,
  ) => Promise<Refused | (() => Promise<Answer>)>
}

/**
 * Answers a request by a gate: with its handler, which `run` calls, or with a refusal. Everything that
 * belongs to a request and not to one gate is here.
 */
export const withRequest = async <Args extends readonly unknown[], Key>(
  scope: RequestScope<Args>,
  gate: Gate<Args, Key>,
  run: (lock: Lock | undefined) => Promise<Response>,
): Promise<Answer> => {
  const { options, refusals } = gate
  const { args } = scope
  const held = locksOf(scope.ids)
  const own: Visit['own'] = (response, headers) => {
    const change = (sent: Headers): void => {
      for (const name in headers) sent.set(name, headers[name]!)
    }
    return { response: headers ? withHeaders(response, change) : response, isOwn: true }
  }
  const visit: Visit<Args> = {
    scope,
    held,
    ...backgroundOf(scope.platform, options.waitUntil?.(...args) ?? undefined),
    handle: (lock) => callWithin(held, () => run(lock)),
    own,
    pass: async (lock) => {
      try {
        return own(await visit.handle(lock))
      } finally {
        scope.onEnd?.()
      }
    },
    refuse: async ({ headers, ...refused }) => {
      const { reason, response } = refused
      const [usual, title, detail] = refusals[reason]!
      const status = (options.statuses as Statuses | undefined)?.[reason] ?? usual
      const refusal = { detail, ...refused, status }
      const given = await options.onRefused?.(refusal as RequestRefusal<never>, ...args)
      const fits = given === undefined || given instanceof Response
      assertOption(fits, 'onRefused', 'a function that returns a Response or undefined', given)
      // It may be a part of what is given, and is dropped only if nothing is.
      if (!given) discard(response)
      const about = { ...refusal, title: status === usual ? title : undefined }
      const sent = given ?? problem(about, headers)
      return { ...own(sent), isOwn: false }
    },
  }
  const { key: option } = options as RequestOptions<Args, never>
  const found = gate.keyOf ? await gate.keyOf(visit) : { key: await forRequest(option, args) }
  if ('response' in found) return found
  // A mistake, such as a header that is missing.
  assertOption(found.key !== undefined, 'key', 'text, an array or null', found.key)
  const client = clientOf(await forRequest(options.redlock, args))
  if (found.key === null) {
    client.emit?.({ kind: gate.kind, type: 'skipped', keys: [] })
    return visit.pass()
  }
  const entry = await gate.enter(visit, found.key as Key, client)
  if (typeof entry === 'function') return entry()
  try {
    const passes = options.failOpen && entry.reason === 'unavailable'
    return await (passes ? visit.pass() : visit.refuse(entry))
  } finally {
    await visit.drain()
  }
}
