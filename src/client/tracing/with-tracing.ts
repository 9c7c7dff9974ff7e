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
  /** `trace.getTracer('...')` from OpenTelemetry, or `tracing` from `cloudflare:workers`. */
  readonly tracer: Tracer
  /**
   * Returns the name of the lock for the attribute `lock.name`. Keys often contain a user ID, but tracing backends
   * expect few different names. So spans contain no keys unless this function returns them. Default: no name.
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
 * Records two spans for each call: one for the call, and one for the time that the lock is held. The second span exists
 * only for locks that will be released.
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
    // A throttle window is never released, so its span would never end.
    if (hasAcquired && operation !== 'throttle') {
      const span = safely(() => tracer.startSpan('lock.hold'))
      setName(span, name)
      if (span) note = holdSpan(span)
    }
    return result
  }

/**
 * A `Redlock` that records its calls as spans. Use the result in place of `redlock`, including for `lock()`,
 * `throttle()` and `idempotent()`. Both share nodes, queues and caches. A bundle that does not import this function
 * contains no tracing code.
 *
 * - `lock.acquire`, `lock.throttle`, `lock.claim`: one call, with the attributes `lock.outcome`, `lock.attempts`,
 *   `lock.elapsed_ms` and `lock.nodes`. Split votes, failed nodes and waiting are events of the span. If `fetch` is
 *   traced, requests to the nodes are child spans.
 * - `lock.hold`: from the acquisition of a lock until its release or loss, with the attribute `lock.held_ms` and an
 *   event for each extension.
 *
 * Spans contain neither secrets nor metadata, and no keys unless `lockName` returns them. Tracer errors never affect a
 * lock.
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
  // Tracing is always the outermost interceptor, so a call with several tries, such as a throttle that waits, has only
  // one span. It replaces any earlier tracing.
  const others = client.interceptors.filter((one) => !tracing.has(one))
  const interceptors = [own, ...others]
  return redlock.withClient({ ...client, interceptors }) as Given
}
