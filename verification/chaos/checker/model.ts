import type {
  FaultEvent,
  HistoryEvent,
  LifetimesEvent,
  Kind,
  MachineEvent,
  RunEvent,
  StoreEvent,
} from '../campaign/history.ts'
import { note, noteFault } from './note.ts'

// A history, put in order: operation by operation rather than event by event.

/** What is known of one operation. Times in ns; those that are missing did not happen. */
export type Operation = {
  readonly op: string
  readonly client: string
  readonly process: string
  readonly key: string
  kind: Kind
  readonly invokedAt: number
  /** The last that was heard of it. */
  lastAt: number
  acquiredAt?: number
  /** Until when it was valid, as the acquire told, and as an extend told last. */
  grantedUntil?: number
  validUntil?: number
  lostAt?: number
  token?: number
  tokenAt?: number
  readAt?: number
  writingAt?: number
  writtenAt?: number
  outcome?: 'written' | 'refused' | 'skipped' | 'lost' | 'failed'
  reason?: string
  releasingAt?: number
  releasedAt?: number
}

export type Process = {
  readonly name: string
  readonly startedAt: number
  readonly resolution: number
  readonly isComplete: boolean
  killedAt?: number
  wasHolding?: boolean
  readonly paused: { readonly from: number; until: number }[]
}

/** A fault as it was: from the moment before it was done to the moment when nothing of it was left. */
export type Injected = {
  readonly fault: FaultEvent['fault']
  readonly from: number
  until: number
}

export type History = {
  readonly run: RunEvent
  readonly begin: number
  readonly end: number
  readonly operations: readonly Operation[]
  readonly byOp: ReadonlyMap<string, Operation>
  readonly processes: ReadonlyMap<string, Process>
  readonly faults: readonly Injected[]
  readonly stores: readonly StoreEvent[]
  /** Processes whose operations did not end. */
  readonly unfinished: readonly string[]
  /** How late timers were, when. */
  readonly machine: readonly MachineEvent[]
  readonly lifetimes: readonly LifetimesEvent[]
  readonly events: number
}

/** Puts the events in order. @throws when it is no history of a campaign that has come to its end. */
export const readHistory = (events: readonly HistoryEvent[]): History => {
  const byOp = new Map<string, Operation>()
  const processes = new Map<string, Process>()
  const pids = new Map<number, string>()
  const faults = new Map<number, Injected>()
  const stores: StoreEvent[] = []
  const machine: MachineEvent[] = []
  const lifetimes: LifetimesEvent[] = []
  const unfinished: string[] = []
  let run: RunEvent | undefined
  let [begin, end] = [NaN, NaN]
  for (const event of events.toSorted((a, b) => a.at - b.at)) {
    if (event.type === 'run') run = event
    else if (event.type === 'begin') begin = event.at
    else if (event.type === 'end') end = event.at
    else if (event.type === 'store') stores.push(event)
    else if (event.type === 'machine') machine.push(event)
    else if (event.type === 'lifetimes') lifetimes.push(event)
    else if (event.type === 'unfinished') unfinished.push(event.process)
    else if (event.type === 'process') {
      const { process: name, pid, at: startedAt, resolution, isComplete } = event
      processes.set(name, { name, startedAt, resolution, isComplete, paused: [] })
      pids.set(pid, name)
    } else if (event.type === 'fault' || event.type === 'healed') {
      noteFault(event, faults, processes, pids)
    } else if ('op' in event) {
      const { op, client, key, at } = event
      const process = client.split('/')[0]!
      const kind = event.type === 'invoke' ? event.kind : 'private'
      const known = byOp.get(op)
      const operation = known ?? { op, client, process, key, kind, invokedAt: at, lastAt: at }
      byOp.set(op, operation)
      note(operation, event)
    }
  }
  if (!run || Number.isNaN(begin) || Number.isNaN(end) || stores.length === 0) {
    throw new Error('This is no history of a whole campaign: run, begin, end or store is missing')
  }
  return {
    run,
    begin,
    end,
    operations: [...byOp.values()],
    byOp,
    processes,
    faults: [...faults.values()],
    stores,
    unfinished,
    machine,
    lifetimes,
    events: events.length,
  }
}
