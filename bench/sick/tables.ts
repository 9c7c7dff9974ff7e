import Table from 'cli-table3'
import type { BurstFigures } from '../shared/burst-figures.ts'
import type { SickBursts } from './bursts.ts'
import { names } from './ratios.ts'
import type { Trials } from './trials.ts'

const style = { compact: true }

const ms = (time: number | undefined): string => time?.toFixed(0) ?? 'none'

/** Each is shown with all nodes well, and then with one of them sick. */
const columns: readonly ((figures: BurstFigures) => string)[] = [
  ({ one, bursts }) => `${((100 * one) / bursts).toFixed(0)} %`,
  ({ toWinner }) => ms(toWinner),
  ({ p90 }) => ms(p90),
  ({ longest }) => ms(longest),
  ({ requests }) => requests.toFixed(0),
]

const ratio = (value: number): string => (Number.isFinite(value) ? value.toFixed(2) : '-')

export const tableOfBursts = (results: readonly SickBursts[]): string => {
  const head = ['clients', '', 'bursts', '', 'one winner', 'ms to the winner', 'p90 of answers']
  const table = new Table({ head: [...head, 'longest', 'requests', 'ratios'], style })
  for (const { size, contestant, condition, well, sick, ratios } of results) {
    table.push([
      size,
      contestant,
      `${well.bursts}, ${sick.bursts}`,
      condition,
      ...columns.map((read) => `${read(well)} -> ${read(sick)}`),
      names.map((name) => ratio(ratios[name])).join(' '),
    ])
  }
  return table.toString()
}

const trialHead = ['', '', 'trials', 'overlaps', 'nobody ran', 'routines', 'lost locks']

export const tableOfTrials = (results: readonly Trials[]): string => {
  const table = new Table({
    head: [...trialHead, 'no answer', 'run again'],
    style,
  })
  for (const one of results) {
    const { contestant, condition, trials, overlaps, nobody, routines, lost } = one
    const counts = [trials, overlaps, nobody, routines, lost, one.unanswered, one.disturbed]
    table.push([contestant, condition, ...counts])
  }
  return table.toString()
}
