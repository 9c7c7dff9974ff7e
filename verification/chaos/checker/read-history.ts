import type {
  HistoryEvent,
  LifetimesEvent,
  RunEvent,
  StoreEvent,
  TimerLagEvent,
} from '../campaign/events.ts'
import { makeOperations } from '../../history/operations.ts'
import { applyFault } from './apply-fault.ts'
import type { History, InjectedFault, Process } from './model.ts'

/** Builds the model from the events. @throws if their campaign is incomplete. */
export const readHistory = (events: readonly HistoryEvent[]): History => {
  const operations = makeOperations()
  const processes = new Map<string, Process>()
  const pids = new Map<number, string>()
  const faults = new Map<number, InjectedFault>()
  const stores: StoreEvent[] = []
  const timerLags: TimerLagEvent[] = []
  const lifetimes: LifetimesEvent[] = []
  const unfinished: string[] = []
  let run: RunEvent | undefined
  let [begin, end] = [NaN, NaN]
  for (const event of events.toSorted((a, b) => a.at - b.at)) {
    if (event.type === 'run') run = event
    else if (event.type === 'begin') begin = event.at
    else if (event.type === 'end') end = event.at
    else if (event.type === 'store') stores.push(event)
    else if (event.type === 'timer lag') timerLags.push(event)
    else if (event.type === 'lifetimes') lifetimes.push(event)
    else if (event.type === 'unfinished') unfinished.push(event.process)
    else if (event.type === 'process') {
      const { process: name, pid, at: startedAt, resolution, isComplete, roundTrip } = event
      processes.set(name, { name, startedAt, resolution, isComplete, roundTrip, paused: [] })
      pids.set(pid, name)
    } else if (event.type === 'fault' || event.type === 'healed') {
      applyFault(event, faults, processes, pids)
    } else if ('op' in event) operations.add(event)
  }
  if (!run || Number.isNaN(begin) || Number.isNaN(end) || stores.length === 0) {
    throw new Error(
      'This is not the history of a complete campaign: run, begin, end or store is missing',
    )
  }
  return {
    run,
    begin,
    end,
    operations: [...operations.all.values()],
    byOp: operations.all,
    processes,
    faults: [...faults.values()],
    stores,
    unfinished,
    timerLags,
    lifetimes,
    events: events.length,
  }
}
