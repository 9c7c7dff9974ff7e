import { figure, percent, table } from './markdown.ts'
import type { Results } from './results.ts'

const withRatio = (ms: number | undefined, ratio: number): string =>
  `${figure(ms, 0)} (${figure(ratio)})`

export const regionsTable = ({ results }: Results['regions']): string =>
  table(
    [
      '',
      '',
      'clients',
      'quorum-th reply',
      'exactly one winner',
      'ms to the winner',
      'p90 of answers',
      'longest',
      'requests',
    ],
    results.map((one) => [
      one.strategy,
      one.want,
      one.name,
      figure(one.quorumReply, 0),
      percent(one.one, one.bursts),
      withRatio(one.toWinner, one.winner),
      withRatio(one.p90, one.answers),
      figure(one.longest, 0),
      figure(one.requests, 1),
    ]),
  )
