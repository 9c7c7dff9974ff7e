import type { FaultEvent, OperationEvent } from '../campaign/events.ts'
import type { InjectedFault, Operation, Process } from './model.ts'

/** Adds a step to its operation. */
export const applyStep = (operation: Operation, event: OperationEvent): void => {
  const { at } = event
  operation.lastAt = Math.max(operation.lastAt, at)
  switch (event.type) {
    case 'invoke':
      if (event.validity !== undefined) operation.validity = event.validity
      break
    case 'acquired':
      operation.acquiredAt = at
      operation.validUntil = event.validUntil
      operation.grantedUntil = event.validUntil
      operation.renewedAt = at
      if (event.slot !== undefined) operation.slot = event.slot
      if (event.late !== undefined) operation.late = event.late
      break
    case 'extending':
      operation.extendingAt = at
      break
    case 'extended':
      operation.extendingAt = undefined
      operation.validUntil = Math.max(operation.validUntil!, event.validUntil)
      operation.renewedAt = at
      operation.extensions = (operation.extensions ?? 0) + 1
      break
    case 'token':
      operation.token = event.token
      operation.tokenAt = at
      break
    case 'read':
      operation.readAt = at
      break
    case 'writing':
      operation.writingAt = at
      break
    case 'releasing':
      operation.releasingAt = at
      break
    case 'released':
      operation.releasedAt = at
      break
    case 'lost':
      operation.lostAt = at
      if (event.grantedBy) operation.grantedBy = event.grantedBy
      if (event.late !== undefined) operation.lateLoss = event.late
      operation.outcome = 'lost'
      break
    case 'written':
      operation.writtenAt = at
      operation.outcome = 'written'
      break
    case 'failed':
      operation.reason = event.reason
      operation.outcome = 'failed'
      break
    case 'rejected':
      operation.reason = event.reason
      operation.outcome = 'rejected'
      operation.late = event.late
      break
    default:
      operation.outcome = event.type
  }
}

/** Adds the beginning or the end of a fault to the faults, and to the process that it hits. */
export const applyFault = (
  event: FaultEvent,
  faults: Map<number, InjectedFault>,
  processes: Map<string, Process>,
  pids: Map<number, string>,
): void => {
  const { fault, at } = event
  const name = event.type === 'fault' && event.pid ? pids.get(event.pid) : undefined
  const victim = name === undefined ? undefined : processes.get(name)
  if (event.type === 'healed') {
    faults.get(fault.id)!.until = at + fault.abstains * 1e6
    for (const { paused } of processes.values()) {
      const last = paused.at(-1)
      if (fault.kind === 'client paused' && last?.until === Infinity) last.until = at
    }
    return
  }
  faults.set(fault.id, { fault, from: at, until: Infinity })
  if (!victim) return
  if (fault.kind === 'client killed') {
    victim.killedAt = at
    victim.wasHolding = event.isHolding === true
  } else victim.paused.push({ from: at, until: Infinity })
}
