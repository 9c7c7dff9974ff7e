import Table from 'cli-table3'
import { type LimitsOf, missedRatios, names } from '../sick/ratios.ts'
import type { SickBursts } from './sick.ts'
import type { Strategy } from './virtual-clients.ts'
import type { BurstFigures } from '../shared/burst-figures.ts'
import type { Waiters } from './waiters.ts'

/** Bursts of one size with all nodes well. */
export type Bursts = BurstFigures & { readonly strategy: Strategy; readonly size: number }

const style = { compact: true }

const shareOf = ({ one, bursts }: BurstFigures): string => `${((100 * one) / bursts).toFixed(1)} %`

const ms = (time: number | undefined): string => time?.toFixed(1) ?? '-'

export const burstsTable = (results: readonly Bursts[]): string => {
  const table = new Table({
    head: ['', 'at once', 'exactly one winner', 'requests', 'ms to the winner'],
    style,
  })
  for (const one of results) {
    const { strategy, size, requests, toWinner } = one
    table.push([strategy, size, shareOf(one), requests.toFixed(1), ms(toWinner)])
  }
  return table.toString()
}

/** The ratios to the bursts with all nodes well stand behind the figures. */
export const sickTable = (results: readonly SickBursts[], limitsOf: LimitsOf): string => {
  const head = ['', 'at once', '', 'one winner', 'ms to the winner', 'p90 of answers', 'longest']
  const table = new Table({ head: [...head, 'requests', 'missed'], style })
  for (const one of results) {
    const { strategy, size, condition, toWinner, p90, longest, requests, ratios } = one
    const [winner, answer, cost] = names.map((name) =>
      ratios ? ` (x ${ratios[name].toFixed(2)})` : '',
    )
    table.push([
      strategy,
      size,
      condition,
      shareOf(one),
      `${ms(toWinner)}${winner}`,
      `${ms(p90)}${answer}`,
      ms(longest),
      `${requests.toFixed(1)}${cost}`,
      ratios ? missedRatios(ratios, limitsOf(size)).join(' ') : '',
    ])
  }
  return table.toString()
}

export const waitersTable = (results: readonly Waiters[]): string => {
  const table = new Table({
    head: ['', 'wait', 'time, against one alone', 'requests each', 'longest / median wait'],
    style,
  })
  for (const { strategy, size, ratio, requests, unluckiest } of results) {
    const figures = [ratio, requests, unluckiest].map((figure) => figure.toFixed(2))
    table.push([strategy, size, ...figures])
  }
  return table.toString()
}
