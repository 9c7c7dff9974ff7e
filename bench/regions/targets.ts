import { groupsOf } from '../shared/groups.ts'
import { type Target, target } from '../shared/target.ts'
import { winnerTargets } from '../shared/winners.ts'
import { figures, type Limits } from './cases.ts'
import type { Measured } from './measure.ts'

type Limited = Measured & { readonly limits: Limits }

const ordersOf = (cases: readonly Measured[]): string[] => [
  ...new Set(cases.map(({ order }) => order)),
]

const labels = {
  winner: 'median time to the winner over the quorum-th reply',
  answers: 'p90 of all answers over the quorum-th reply',
  longest: 'longest answer over the quorum-th reply',
  requests: 'requests',
} as const

/** The targets of one figure: one for all orders of the nodes, unless some have a larger maximum. */
const targetsOfFigure = (cases: readonly Limited[], figure: keyof Limits): Target[] => {
  const { group } = cases[0]!
  const count = ordersOf(cases).length
  return groupsOf(cases, ({ limits }) => limits[figure]).map((same) => {
    const orders = ordersOf(same)
    const where = orders.length < count ? `, ${orders.join(' and ')}` : ''
    const worst = Math.max(...same.map((one) => one.figures[figure]))
    const about = `five regions, ${group}${where}: ${labels[figure]}`
    return target(about, worst, same[0]!.limits[figure])
  })
}

/** The targets of all bursts, and those of the groups that have some, for the default strategy. */
export const targetsOf = (results: readonly Measured[]): Target[] => {
  const limited = results.filter((one): one is Limited => one.limits !== undefined)
  const groups = groupsOf(limited, ({ group }) => group)
  return [
    ...winnerTargets(results),
    ...groups.flatMap((cases) => figures.flatMap((figure) => targetsOfFigure(cases, figure))),
  ]
}
