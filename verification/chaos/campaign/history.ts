import { appendFileSync, closeSync, openSync, writeSync } from 'node:fs'
import type { Fault } from '../nemesis/fault.ts'

// What a campaign leaves behind: a file of JSON lines, one per event, as each process saw it. All
// the checker knows is in there.

/** What a key is for: fenced by a guard, written without one, or of one client only. */
export type Kind = 'guarded' | 'plain' | 'private'

/** An element of a counter in the store: its value, who wrote it, and whose value was read before. */
export type Entry = {
  readonly n: number
  readonly op: string
  readonly previous: string | null
  readonly token: number | null
}

/** What happens in an operation, in this order; it may break off anywhere. */
export type Step =
  | { readonly type: 'invoke'; readonly kind: Kind }
  | { readonly type: 'acquired'; readonly validUntil: number }
  | { readonly type: 'token'; readonly token: number }
  | { readonly type: 'read'; readonly n: number; readonly by: string | null }
  | { readonly type: 'extended'; readonly validUntil: number }
  | { readonly type: 'lost' }
  | { readonly type: 'writing'; readonly n: number }
  | { readonly type: 'written' }
  | { readonly type: 'refused' }
  | { readonly type: 'skipped' }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'releasing' }
  | { readonly type: 'released'; readonly result: string }

/**
 * A step, and whose. `at` and `validUntil` are ns of the monotonic clock, which all processes of one
 * machine share; `wall` is ms since 1970; `client` is the process, its generation and the number in
 * it; `op` adds one for each operation.
 */
export type OperationEvent = Step & {
  readonly at: number
  readonly wall: number
  readonly client: string
  readonly op: string
  readonly key: string
}

/** A campaign as it was asked for. Times in ms. */
export type RunEvent = {
  readonly type: 'run'
  readonly at: number
  readonly seed: number
  readonly minutes: number
  readonly broken: string | null
  /** What partitions and losses were done by: packets are dropped, or a proxy holds them back. */
  readonly network: 'packets' | 'proxy'
  /** Whether the clocks of servers could be stepped. */
  readonly clocks: boolean
  readonly ttl: number
  readonly driftFactor: number
  readonly nodes: readonly string[]
}

/** The first client may begin, and the nemesis; or both were told to stop. */
export type PhaseEvent = { readonly type: 'begin' | 'end'; readonly at: number }

/**
 * A process of clients comes up. How far its stamps may be off (ns), and whether each step is in the
 * history before it is taken, so that none is missing after a kill.
 */
export type ProcessEvent = {
  readonly type: 'process'
  readonly at: number
  readonly process: string
  readonly pid: number
  readonly runtime: string
  readonly resolution: number
  readonly isComplete: boolean
}

/** A fault begins, or is over. Of a process of clients: its pid, and whether a client of it was
 * seen to hold a lock right before. */
export type FaultEvent =
  | {
      readonly type: 'fault'
      readonly at: number
      readonly fault: Fault
      readonly pid?: number
      readonly isHolding?: boolean
    }
  | { readonly type: 'healed'; readonly at: number; readonly fault: Fault }

/** What a process of clients was doing did not end, long after it was told to stop. */
export type UnfinishedEvent = {
  readonly type: 'unfinished'
  readonly at: number
  readonly process: string
}

/** How late the timers of the main process were at most, in the second before: ms. */
export type MachineEvent = { readonly type: 'machine'; readonly at: number; readonly late: number }

/** For how many ms the locks on a server are to live yet, at most: by its own account. */
export type LifetimesEvent = {
  readonly type: 'lifetimes'
  readonly at: number
  readonly node: string
  readonly longest: number
}

/** What the store holds when all is over: each value that the counter ever had, in order. */
export type StoreEvent = {
  readonly type: 'store'
  readonly at: number
  readonly key: string
  readonly kind: Kind
  readonly entries: readonly Entry[]
}

export type HistoryEvent =
  | OperationEvent
  | RunEvent
  | PhaseEvent
  | ProcessEvent
  | FaultEvent
  | MachineEvent
  | LifetimesEvent
  | StoreEvent
  | UnfinishedEvent

/** Now, in ns of the monotonic clock. */
export const now = (): number => Number(process.hrtime.bigint())

/** Appends events to a file. Each is with the kernel before this returns, and outlives a kill -9. */
export const historyWriter = (
  path: string,
): { readonly write: (event: HistoryEvent) => void; readonly close: () => void } => {
  let file: number | undefined = openSync(path, 'a')
  return {
    write: (event) => void writeSync(file!, `${JSON.stringify(event)}\n`),
    close: () => {
      // Twice would close what has the number by then.
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}

/** Reads what was written. A process that was killed may have left half a line at the end. */
export const parseHistory = (text: string): HistoryEvent[] => {
  const lines = text.split('\n')
  const last = lines.pop()
  if (last) appendFileSync(2, `The history ends in half a line: ${last.slice(0, 80)}\n`)
  return lines.filter(Boolean).map((line) => JSON.parse(line) as HistoryEvent)
}
