import { groupsOf } from '../shared/groups.ts'
import { figures, type Limits } from './cases.ts'
import type { Measured } from './measure.ts'

/** The worst figures of the cases of one group, in one order of the nodes. */
export type Summary = Pick<
  Measured,
  'order' | 'strategy' | 'want' | 'group' | 'bursts' | 'one' | 'figures' | 'limits'
>

const nameOf = ({ order, strategy, want, group }: Measured): string =>
  [strategy, want, group, order].join()

const worstOf = (cases: readonly Measured[]): Limits => {
  const worst = figures.map((figure) => [
    figure,
    Math.max(...cases.map((one) => one.figures[figure])),
  ])
  return Object.fromEntries(worst) as Limits
}

const sumOf = (cases: readonly Measured[]): Summary => ({
  ...cases[0]!,
  bursts: cases.reduce((sum, { bursts }) => sum + bursts, 0),
  one: cases.reduce((sum, { one }) => sum + one, 0),
  figures: worstOf(cases),
})

/** Sums the cases of each group up. */
export const summarize = (results: readonly Measured[]): Summary[] =>
  groupsOf(results, nameOf).map(sumOf)
