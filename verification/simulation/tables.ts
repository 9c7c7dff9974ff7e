import Table from 'cli-table3'
import { type Samples, summarize } from './checks/distribution.ts'
import type { WinnerRate } from './checks/winner-rates.ts'

// The tables that a run prints.

const english = new Intl.NumberFormat('en')

export const coverageTable = (coverage: ReadonlyMap<string, number>): string => {
  const table = new Table({ head: ['covered', 'times'] })
  const covered = [...coverage].sort(([, a], [, b]) => b - a)
  table.push(...covered.map(([what, times]) => [what, english.format(times)]))
  return table.toString()
}

export const timesTable = (samples: Samples): string => {
  const head = ['time of a call, in round trips', 'calls', 'p50', 'p90', 'p99', 'max']
  const table = new Table({ head })
  for (const { name, count, p50, p90, p99, max } of summarize(samples)) {
    table.push([name, english.format(count), p50, p90, p99, max])
  }
  return table.toString()
}

const percent = (share: number, digits: number): string => `${(100 * share).toFixed(digits)} %`

export const winnersTable = (rates: readonly WinnerRate[]): string => {
  const head = ['bursts', 'number', 'without a winner', 'with one', 'promised']
  const table = new Table({ head, style: { compact: true } })
  for (const { weather, bursts, lost, rate, promise, isKept } of rates) {
    const promised = promise === undefined ? '' : percent(promise, 2)
    const verdict = isKept ? promised : `${promised}: BROKEN`
    table.push([weather, english.format(bursts), lost, percent(rate, 3), verdict])
  }
  return table.toString()
}
