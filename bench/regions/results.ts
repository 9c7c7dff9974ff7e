import { ratioNames, type Ratios } from '../bursts/measured.ts'
import { burstColumns } from '../bursts/table.ts'
import { limitTargets, winnerTargets } from '../bursts/targets.ts'
import { groupsOf } from '../shared/groups.ts'
import { type Columns, figure, percent } from '../shared/table.ts'
import type { Target } from '../shared/target.ts'
import type { MeasuredRegions } from './measure.ts'

export const regionColumns: Columns<MeasuredRegions> = {
  ...burstColumns,
  'quorum-th reply': ({ quorumReply }) => figure(quorumReply, 0),
  // The ratio of requests is their number.
  requests: ({ requests }) => figure(requests, 1),
}

const labels = {
  winner: 'median time to the winner over the quorum-th reply',
  answers: 'p90 of all answers over the quorum-th reply',
  longest: 'longest answer over the quorum-th reply',
  requests: 'requests',
} as const

export const targetsOf = (results: readonly MeasuredRegions[]): Target[] => [
  ...winnerTargets(results),
  ...limitTargets(results, labels),
]

/** The worst figures of the cases of one group, in one order of the nodes. */
export type Summary = Pick<
  MeasuredRegions,
  'group' | 'contestant' | 'want' | 'order' | 'bursts' | 'one'
> & { readonly ratios: Ratios }

const worstOf = (rows: readonly MeasuredRegions[]): Summary => ({
  ...rows[0]!,
  bursts: rows.reduce((sum, { bursts }) => sum + bursts, 0),
  one: rows.reduce((sum, { one }) => sum + one, 0),
  ratios: Object.fromEntries(
    ratioNames.map((name) => [name, Math.max(...rows.map(({ ratios }) => ratios![name]))]),
  ) as Ratios,
})

/** Sums up the cases of each group. */
export const summarize = (results: readonly MeasuredRegions[]): Summary[] =>
  groupsOf(results, ({ contestant, want, group, order }) =>
    [contestant, want, group, order].join(),
  ).map(worstOf)

export const summaryColumns: Columns<Summary> = {
  clients: ({ group }) => group.replace(/.*, /, ''),
  library: ({ contestant }) => contestant,
  call: ({ want }) => want,
  'order of the nodes': ({ order }) => order,
  'exactly one winner': ({ one, bursts }) => percent(one, bursts),
  'time to the winner': ({ ratios }) => figure(ratios.winner),
  'p90 of answers': ({ ratios }) => figure(ratios.answers),
  longest: ({ ratios }) => figure(ratios.longest),
  requests: ({ ratios }) => figure(ratios.requests, 1),
}
