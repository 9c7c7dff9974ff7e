import { groupsOf } from '../shared/groups.ts'
import { type Target, target } from '../shared/target.ts'
import { type Measured, type RatioName, ratioNames } from './measured.ts'

/** By how much a figure may exceed its limit, so that the targets do not pin one implementation. */
export const withAir = (limit: number): number => +(limit * 1.05).toFixed(3)

const sumOf = (rows: readonly Measured[], read: (row: Measured) => number): number =>
  rows.reduce((total, row) => total + read(row), 0)

// One in this many bursts may end without a winner. None may have two.
const burstsPerLoss = 10_000

/** With all nodes healthy or one of them slow, 99.99 % of the bursts must have exactly one winner. */
export const winnerTargets = (rows: readonly Measured[]): Target[] => {
  const bursts = sumOf(rows, (row) => row.bursts)
  const several = sumOf(rows, (row) => row.several)
  const without = bursts - several - sumOf(rows, ({ one }) => one)
  return [
    target(`${bursts} bursts, without a winner`, without, Math.floor(bursts / burstsPerLoss)),
    target(`${bursts} bursts, with several winners`, several, 0),
  ]
}

/** If there are few bursts, each contestant must have exactly one winner in every one. */
export const oneWinnerTargets = (rows: readonly Measured[]): Target[] =>
  groupsOf(rows, ({ contestant }) => contestant).map((own) =>
    target(
      `bursts without exactly one winner (${own[0]!.contestant})`,
      sumOf(own, ({ bursts, one }) => bursts - one),
      0,
    ),
  )

/** The names of a bench's figures in its targets. */
export type Labels = { readonly [name in RatioName]: string }

const targetsOfGroup = <Row extends Measured>(
  rows: readonly Row[],
  name: RatioName,
  label: string,
  whereOf: (row: Row) => string,
): Target[] => {
  const limited = rows.filter(({ limits }) => limits?.[name] !== undefined)
  const subsets = groupsOf(limited, ({ limits }) => limits![name])
  return subsets.map((same) => {
    const places = [...new Set(same.map(whereOf))]
    const where = subsets.length > 1 ? `, ${places.join(' and ')}` : ''
    const worst = Math.max(...same.map(({ ratios }) => ratios![name]))
    return target(`${same[0]!.group}${where}: ${label}`, worst, same[0]!.limits![name]!)
  })
}

/**
 * The worst of each figure that has a maximum, in each group.
 *
 * @param whereOf - Names the cases of a group that have their own maximum. Default: by their conditions.
 */
export const limitTargets = <Row extends Measured>(
  rows: readonly Row[],
  labels: Labels,
  whereOf: (row: Row) => string = ({ condition }) => condition,
): Target[] =>
  groupsOf(rows, ({ group }) => group).flatMap((group) =>
    ratioNames.flatMap((name) => targetsOfGroup(group, name, labels[name], whereOf)),
  )
