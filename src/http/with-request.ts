import type { Lock } from '../lock/lock.ts'
import type { Redlock } from '../redlock.ts'
import { assertOption } from '../util/validate.ts'
import { type Background, backgroundOf } from './background.ts'
import { problem } from './problem-details.ts'
import type { Refusals, RequestRefusal } from './refusals.ts'
import { callWithin, locksOf } from './request-locks.ts'
import { checkedRedlock, forRequest, type SharedOptions } from './request-options.ts'
import type { RequestScope } from './request-scope.ts'
import { withHeaders } from './with-headers.ts'

/** The response to a request, and whether it is the one that the handler has made. */
export type Answer = { readonly response: Response; readonly isOwn: boolean }

/** What a refusal says beside its reason. */
type More = Partial<Omit<RequestRefusal, 'reason' | 'status'>>

/** One request on its way through a gate. */
export type Visit<Args extends readonly unknown[] = readonly unknown[]> = {
  readonly scope: RequestScope<Args>
  /** The locks that the request holds. */
  readonly held: Lock[]
  readonly background: Background
  /** Runs the handler. */
  readonly handle: (lock?: Lock) => Promise<Response>
  /** Answers with the response of the handler, and adds headers to it, `Server-Timing` among them. */
  readonly own: (response: Response, headers?: Readonly<Record<string, string>>) => Answer
  /** Answers by the handler without entering. */
  readonly pass: (lock?: Lock) => Promise<Answer>
  /** @param headers - More headers of the default response. */
  readonly refuse: (
    reason: string,
    more?: More,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
}

/** How a gate has decided about a request. */
export type Entry = {
  /** Whether the request has entered, so that the gate finishes its background work. */
  readonly hasEntered: boolean
  /** What `Server-Timing` says. */
  readonly outcome: string
  readonly answer: () => Promise<Answer>
}

/** What a request has to pass before its handler runs: a lock, a throttle or an idempotency key. */
export type Gate<Args extends readonly unknown[], Key = unknown> = {
  readonly name: 'lock' | 'throttle' | 'idempotent'
  readonly options: SharedOptions<Args, never> & { readonly serverTiming?: boolean }
  readonly refusals: Refusals
  /** Whether it reads the request and the answer, and may answer in place of the handler that has run. */
  readonly readsAnswer?: true
  /** What the request asks for; null if it passes, or its answer if it does not have to enter. */
  readonly keyOf: (visit: Visit<Args>) => Promise<{ readonly key: Key | null } | Answer>
  readonly enter: (visit: Visit<Args>, key: Key, redlock: Redlock) => Promise<Entry>
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
  let timing: string | false | undefined
  const send: Visit['own'] = (response, headers) => {
    const isChanged = timing || headers
    const change = (sent: Headers): void => {
      for (const name in headers) sent.set(name, headers[name]!)
      if (timing) sent.append('server-timing', timing)
    }
    return { response: isChanged ? withHeaders(response, change) : response, isOwn: true }
  }
  const visit: Visit<Args> = {
    scope,
    held,
    background: backgroundOf(scope.platform, options.waitUntil?.(...args) ?? undefined),
    handle: (lock) => callWithin(held, () => run(lock)),
    own: send,
    pass: async (lock) => {
      try {
        return send(await visit.handle(lock))
      } finally {
        scope.onEnd?.()
      }
    },
    refuse: async (reason, more, headers) => {
      const [usual, detail] = refusals[reason]!
      const status = (options.statuses as Record<string, number> | undefined)?.[reason] ?? usual
      const refusal = { reason: reason as never, status, detail, ...more }
      const given = await options.onRefused?.(refusal, ...args)
      const fits = given === undefined || given instanceof Response
      const expected = 'a function that returns a Response or undefined'
      assertOption(fits, 'onRefused', expected, given)
      // It may be a part of what is given, and is dropped only if nothing is.
      if (!given) refusal.response?.body?.cancel().catch(() => {})
      const response = given ?? problem(refusal, scope.request.headers.get('accept'), headers)
      return { ...send(response), isOwn: false }
    },
  }
  const found = await gate.keyOf(visit)
  if ('response' in found) return found
  const redlock = checkedRedlock(await forRequest(options.redlock, args))
  if (found.key === null) {
    redlock.client().emit?.({ type: 'skipped', keys: [] })
    return visit.pass()
  }
  const begun = performance.now()
  const { hasEntered, outcome, answer } = await gate.enter(visit, found.key, redlock)
  const took = (performance.now() - begun).toFixed(1)
  // https://www.w3.org/TR/server-timing/
  timing = options.serverTiming && `${gate.name};desc="${outcome}";dur=${took}`
  try {
    return await answer()
  } finally {
    if (!hasEntered) await visit.background.drain()
  }
}
