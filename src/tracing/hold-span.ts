import type { LockEvent } from '../reports/events.ts'
import { errorStatus, safely, type Span } from './tracer.ts'

/** Describes on a span how long a lock was held, from its acquisition until its release or loss. */
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
