import type { FaultEvent } from '../campaign/events.ts'
import type { InjectedFault, Process } from './model.ts'

/** Records the beginning or end of a fault, including for the process that the fault hits. */
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
    faults.get(fault.id)!.until = at + fault.abstains
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
