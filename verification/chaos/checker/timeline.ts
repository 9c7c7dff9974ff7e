import type { History } from './model.ts'

// The campaign as a chart: what happened in each second, and the period of each fault.

type Second = {
  readonly second: number
  acquired: number
  written: number
  refused: number
  failed: number
  /** The maximum delay of timers in the main process, in ms: how busy the machine was. */
  late: number
}

/** The period of one fault. */
type Bar = {
  readonly kind: string
  readonly nodes: readonly string[]
  readonly processes: readonly string[]
  /** In s since the beginning; `until` includes the time for which the nodes abstain afterwards. */
  readonly from: number
  readonly healed: number
  readonly until: number
}

export type Timeline = { readonly seconds: readonly Second[]; readonly faults: readonly Bar[] }

export const timelineOf = (history: History): Timeline => {
  const { run, begin, end, operations, faults, timerLags } = history
  const count = Math.max(1, Math.ceil((end - begin) / 1e9))
  const seconds = Array.from({ length: count }, (_, second): Second => ({
    second,
    acquired: 0,
    written: 0,
    refused: 0,
    failed: 0,
    late: 0,
  }))
  const at = (time: number | undefined): Second | undefined =>
    time === undefined ? undefined : seconds[Math.floor((time - begin) / 1e9)]
  const add = (time: number | undefined, what: Exclude<keyof Second, 'second' | 'late'>): void => {
    const second = at(time)
    if (second) second[what]++
  }
  for (const { acquiredAt, writtenAt, outcome, lastAt } of operations) {
    add(acquiredAt, 'acquired')
    add(writtenAt, 'written')
    if (outcome === 'refused') add(lastAt, 'refused')
    if (outcome === 'failed') add(lastAt, 'failed')
  }
  for (const { at: time, late } of timerLags) {
    const second = at(time)
    if (second) second.late = Math.max(second.late, late)
  }
  const s = (time: number): number => Math.round((Math.min(time, end) - begin) / 1e6) / 1e3
  const bars = faults.map(({ fault, from, until }): Bar => ({
    kind: fault.kind,
    nodes: fault.nodes.map((index) => run.nodes[index]!),
    processes: fault.processes,
    from: s(from),
    healed: s(until - fault.abstains * 1e6),
    until: s(until),
  }))
  return { seconds, faults: bars }
}
