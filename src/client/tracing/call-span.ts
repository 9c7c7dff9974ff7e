import type { LockEvent } from '../../core/results/events.ts'
import { type NodeReport, quorumHolder } from '../../core/results/node-report.ts'
import { type Attributes, errorStatus, safely, type Span } from './tracer.ts'

/** The span of one call, from its start to its result. */
export type CallSpan = {
  /** Whether the call has acquired a new lock, instead of reentering one. */
  readonly hasAcquired: () => boolean
  readonly note: (event: LockEvent) => void
  /** Ends the span with the result of the call. */
  readonly end: (result: object) => void
  /** Ends the span with the error of the call. */
  readonly fail: (error: unknown) => void
}

/** The answers of the nodes, such as `node-1 granted, node-2 timeout`. */
const textOf = (nodes: readonly NodeReport[]): string =>
  nodes.map(({ node, status }) => `${node} ${status}`).join(', ')

/**
 * The outcome of a call: `acquired` (also for a pass through a throttle), `reentered`, `locked`, `unavailable` or
 * `failed-open`. For a claim, it can also be `recorded`.
 */
const outcomeOf = (result: object, last: LockEvent | undefined): string => {
  if (last?.type === 'acquired') return 'acquired'
  if (last?.type === 'failed-open') return last.type
  const { ok, reason, state } = result as { ok?: boolean; reason?: string; state?: string }
  return reason ?? state ?? (ok ? 'reentered' : 'unknown')
}

const failedOutcomes = new Set(['unavailable', 'failed-open'])

/**
 * Describes one call on a span. The span contains no keys, metadata or error messages.
 *
 * @param elapsed - A stopwatch that started with the span.
 */
export const callSpan = (span: Span, elapsed: () => number): CallSpan => {
  const counts = { 'lock.split_votes': 0, 'lock.node_errors': 0 }
  /** The event that ended the call. */
  let last: LockEvent | undefined
  let hasEnded = false

  const add = (name: string, attributes: Attributes): void =>
    void safely(() => span.addEvent?.(name, attributes))

  const finish = (attributes: Attributes): void => {
    hasEnded = true
    for (const [name, value] of Object.entries(attributes)) {
      safely(() => span.setAttribute(name, value))
    }
    safely(() => span.end())
  }

  const shared = (): Attributes => ({ 'lock.elapsed_ms': elapsed(), ...counts })

  return {
    hasAcquired: () => last?.type === 'acquired',
    note: (event) => {
      if (hasEnded) return
      if (event.type === 'split') {
        counts['lock.split_votes']++
        add('split', { 'lock.attempts': event.attempts, 'lock.nodes': textOf(event.nodes) })
      } else if (event.type === 'node-error') {
        counts['lock.node_errors']++
        add('node-error', { 'lock.node': event.node, 'lock.node_status': event.status })
      } else if (event.type === 'waiting') {
        add('waiting', { 'lock.reason': event.reason, 'lock.nodes': textOf(event.nodes) })
      } else if (/^(acquired|rejected|failed-open)$/.test(event.type)) last = event
    },
    end: (result) => {
      const outcome = outcomeOf(result, last)
      const attributes: Record<string, string | number> = { 'lock.outcome': outcome, ...shared() }
      if (last && 'id' in last) attributes['lock.id'] = last.id
      if (last && 'attempts' in last) attributes['lock.attempts'] = last.attempts
      if (last && 'nodes' in last) {
        attributes['lock.nodes'] = textOf(last.nodes)
        const holder = quorumHolder(last.nodes, (last.nodes.length >> 1) + 1)?.holder
        if (holder !== undefined) attributes['lock.holder'] = holder
      }
      if (last && 'retryAfter' in last) attributes['lock.retry_after_ms'] = last.retryAfter
      // Contention is not an error.
      if (failedOutcomes.has(outcome)) {
        safely(() => span.setStatus?.({ code: errorStatus, message: outcome }))
      }
      finish(attributes)
    },
    fail: (error) => {
      // The span contains only the name of the error, because the message may quote a key.
      const type = error instanceof Error ? error.name : typeof error
      safely(() => span.setStatus?.({ code: errorStatus }))
      finish({ 'lock.outcome': 'error', 'error.type': type, ...shared() })
    },
  }
}

/** Describes a held lock on a span, from its acquisition until its release or loss. */
export const holdSpan = (span: Span): ((event: LockEvent) => void) => {
  let hasEnded = false

  const finish = (outcome: string, { id, heldFor }: { id: string; heldFor: number }): void => {
    hasEnded = true
    safely(() => span.setAttribute('lock.id', id))
    safely(() => span.setAttribute('lock.outcome', outcome))
    safely(() => span.setAttribute('lock.held_ms', heldFor))
    safely(() => span.end())
  }

  return (event) => {
    if (hasEnded) return
    if (event.type === 'released') finish(event.result, event)
    else if (event.type === 'lost') {
      safely(() => span.setStatus?.({ code: errorStatus, message: 'lost' }))
      finish('lost', event)
    } else if (event.type === 'extended') {
      const attributes = { 'lock.elapsed_ms': event.elapsed, 'lock.expires_in_ms': event.expiresIn }
      safely(() => span.addEvent?.('extended', attributes))
    } else if (event.type === 'node-error') {
      const attributes = { 'lock.node': event.node, 'lock.node_status': event.status }
      safely(() => span.addEvent?.('node-error', attributes))
    }
  }
}
