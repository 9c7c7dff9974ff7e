import type { Interceptor } from '../../core/lock/acquire.ts'
import { checkKeys } from '../../protocol/keys.ts'
import { clientOf, type Redlock } from '../redlock.ts'
import type { LockEvent } from '../../core/results/events.ts'
import { stopwatch } from '../../util/clock.ts'
import { assertOption, checkFunction, checkOptions } from '../../util/validate.ts'
import { callSpan, holdSpan } from './call-span.ts'
import { inSpan, safely, type Span, type Tracer } from './tracer.ts'

/** Options of `withTracing`. */
export type TracingOptions = {
  /** `trace.getTracer('...')` of OpenTelemetry, or `tracing` of `cloudflare:workers`. */
  readonly tracer: Tracer
  /**
   * Names what is locked, as the attribute `lock.name`. Backends expect few different names, and a key
   * often has the id of a user, so a key is in no span unless this function returns it. Default: no name.
   *
   * @example
   * ```ts
   * lockName: ([key]) => key!.split(':')[0] // 'submit' for 'submit:42'
   * ```
   */
  readonly lockName?: (keys: readonly string[]) => string | undefined
}

const tracing = new WeakSet<Interceptor>()

type Name = string | undefined

const setName = (span: Span | undefined, name: Name): void => {
  if (name !== undefined) safely(() => span?.setAttribute('lock.name', name))
}

/**
 * Follows calls with spans: one for the call, and one for as long as the lock is held, if the call has
 * acquired one that will be released.
 */
const traceWith =
  ({ tracer, lockName }: TracingOptions): Interceptor =>
  async (traced, next) => {
    const { client, key, operation } = traced
    const keys = checkKeys(key)
    const name = lockName && safely(() => lockName(keys))
    let note: (event: LockEvent) => void = () => {}
    const emit = (event: LockEvent): void => {
      note(event)
      client.emit?.(event)
    }
    const run = (): ReturnType<typeof next> => next({ ...traced, client: { ...client, emit } })
    let hasAcquired = false
    const result = await inSpan(tracer, `lock.${operation}`, async (span) => {
      if (!span) return run()
      setName(span, name)
      const call = callSpan(span, stopwatch(client.clock))
      note = call.note
      try {
        const ended = await run()
        hasAcquired = call.hasAcquired()
        call.end(ended)
        return ended
      } catch (error) {
        call.fail(error)
        throw error
      }
    })
    // Nobody releases the window of a throttle, so such a span would have no end.
    if (hasAcquired && operation !== 'throttle') {
      const span = safely(() => tracer.startSpan('lock.hold'))
      setName(span, name)
      if (span) note = holdSpan(span)
    }
    return result
  }

/**
 * A `Redlock` that describes its calls as spans. Use it in place of the given one, also for `lock()`,
 * `throttle()` and `idempotent()`; both share nodes, queues and caches. Without it, no code for traces is
 * in the bundle.
 *
 * - `lock.acquire`, `lock.throttle`, `lock.claim`: one call, with its `lock.outcome`, `lock.attempts`,
 *   `lock.elapsed_ms`, `lock.nodes`, and events for split votes, failed nodes and waiting. Requests to the
 *   nodes are its children where `fetch` is traced.
 * - `lock.hold`: from the acquisition of a lock until its release or loss, with `lock.held_ms` and an
 *   event for each extension.
 *
 * Spans contain neither secrets nor metadata, and no keys unless `lockName` returns them. An error of the
 * tracer never reaches a lock.
 *
 * @throws `TypeError` when an option is wrong; the message names it.
 * @example
 * ```ts
 * // `trace` of @opentelemetry/api
 * const redlock = withTracing(new Redlock({ nodes }), { tracer: trace.getTracer('shop') })
 * ```
 */
export const withTracing = <Given extends Redlock>(
  redlock: Given,
  options: TracingOptions,
): Given => {
  const client = clientOf(redlock)
  checkOptions('withTracing()', options, 'tracer, lockName')
  const { tracer, lockName } = options
  const isTracer = typeof Object(tracer).startActiveSpan === 'function'
  const expected = 'a tracer of OpenTelemetry, or `tracing` of cloudflare:workers'
  assertOption(isTracer, 'tracer', expected, tracer)
  if (lockName !== undefined) checkFunction('lockName', lockName)
  const own = traceWith(options)
  tracing.add(own)
  // Outermost, and once: of a call that is made of several, such as a throttle that waits, there is one span.
  const others = client.interceptors.filter((one) => !tracing.has(one))
  const interceptors = [own, ...others]
  return redlock.withClient({ ...client, interceptors }) as Given
}
