import Table from 'cli-table3'
import { type SlowEnd, slowKinds } from './slow-clients.ts'
import type { Load } from './load.ts'
import type { Comparison } from './observe-bare.ts'
import type { Outage } from './observe-outage.ts'
import type { Memory } from './gateway-server.ts'
import type { Shutdown } from './observe-shutdown.ts'
import type { Subscribers } from './observe-subscribers.ts'
import type { Complaints } from './verdict.ts'

/** All observations of a run. */
export type Observations = {
  readonly rows: readonly { readonly name: string; readonly load: Load }[]
  /** How many commands these requests ran in Redis. */
  readonly commands: number
  readonly slow: readonly SlowEnd[]
  readonly memory: { readonly peak: number; readonly first: Memory; readonly last: Memory }
  readonly comparison: Comparison
  readonly subscribers: Subscribers
  readonly outage: Outage
  readonly shutdowns: readonly Shutdown[]
}

const mib = (bytes: number): string => `${(bytes / 1_048_576).toFixed(0)} MiB`
const ms = (time: number): string => `${time.toFixed(0)} ms`

const tableOf = ({ rows }: Observations): string => {
  const table = new Table({ head: ['', 'requests/s', 'p99 ms', 'status'] })
  for (const { name, load } of rows) {
    const statuses = Object.entries(load.statuses).map(([status, count]) => `${status} x ${count}`)
    table.push([name, load.perSecond.toFixed(0), load.p99.toFixed(1), statuses.join(', ')])
  }
  return table.toString()
}

const slowLines = ({ slow }: Observations): string[] =>
  slowKinds.map((kind) => {
    const ends = slow.filter((end) => end.kind === kind)
    const said = [...new Set(ends.map(({ said }) => said))].join(', ')
    const longest = Math.max(...ends.map(({ after }) => after))
    return `${ends.length} x ${kind}: told ${said}, gone after ${ms(longest)} at most`
  })

const subscriberLines = ({ subscribers: seen }: Observations): string[] => [
  `Subscribers: ${seen.complete} of ${seen.subscribers} received ${seen.messages} messages in order, p99 ${ms(seen.p99)}; ` +
    `${seen.cutOff} of ${seen.stalled} that read nothing were cut off; ${seen.left} connections left; memory ${mib(seen.memory.peak)} at most`,
]

const comparisonLine = ({ perSecond, share, p99, timesP99 }: Comparison): string =>
  `Beside a bare server: ${perSecond.toFixed(0)} requests/s, ${share.toFixed(2)} of its; ` +
  `p99 of 1,000 connections ${ms(p99)}, ${timesP99.toFixed(2)} times its`

/** The observations in words. The last line has the figure. */
export const reportLines = (seen: Observations, complaints: Complaints): string[] => {
  const { rows, commands, memory, outage, shutdowns } = seen
  const answered = rows.flatMap(({ load }) => Object.values(load.statuses))
  const requests = answered.reduce((sum, count) => sum + count, 0)
  const seconds = rows.reduce((sum, { load }) => sum + load.seconds, 0)
  const { statuses, counter, recovery, longest } = outage
  const { peak, first, last } = memory
  const verdict =
    complaints.length === 0
      ? 'none without the token, none lost'
      : `${complaints.length} things wrong`
  return [
    tableOf(seen),
    ...slowLines(seen),
    comparisonLine(seen.comparison),
    ...subscriberLines(seen),
    `Redis down: ${JSON.stringify(statuses)}, of which Redis has ${counter}; 200 again after ${ms(recovery)}, longest wait ${ms(longest)}`,
    ...shutdowns.map(
      ({ answered, executed, refused, took }) =>
        `SIGTERM: ${answered} answered, ${executed} executed, ${refused} refused, ended after ${ms(took)}`,
    ),
    `Memory: ${mib(peak)} at most, ${mib(last.rss)} at the end; in use ${mib(first.used)} after the first load, ${mib(last.used)} at the end`,
    ...complaints.map((complaint) => `WRONG: ${complaint}`),
    `Gateway: ${requests} requests in ${seconds.toFixed(0)} s, ${commands} commands in Redis: ${verdict}.`,
  ]
}
