import Table from 'cli-table3'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'
import { countUnhandled } from '../../verification/comparison/unhandled.ts'
import { own, rivals } from '../shared/contestants.ts'
import { median, quantile } from '../shared/quantile.ts'
import { startServers } from '../shared/servers.ts'
import { conditions, type NetworkCondition } from './conditions.ts'
import { type Acquires, type MeasuredClient, openMeasured } from './measure.ts'

// Measures an acquire against its theoretical minimum: the moment at which the quorum-th fastest of
// its own replies reaches the client. Five real servers, 3 to 10 ms away each way; this project over
// REST, the others over ioredis and TCP. One acquire at a time, of a key that no other client wants,
// and its release. The contestants take turns, so that other load on the machine affects all alike.

/** The figures of one contestant under one condition, over its acquires that were answered. */
const figuresOf = (
  { name, maxRatio }: NetworkCondition,
  { contestant, timed, unanswered, failed }: Acquires,
) => {
  const took = timed.map((one) => one.took)
  const minimum = median(timed.map((one) => one.minimum))
  const p50 = median(took)
  // The targets hold for the default strategy.
  const hasTarget = contestant === edgeRedlock.name && maxRatio !== undefined
  const ratio = p50 !== undefined && minimum !== undefined ? p50 / minimum : undefined
  return {
    weather: name,
    contestant,
    answered: timed.length,
    unanswered,
    failed,
    p50,
    p99: quantile(took, 0.99),
    minimum,
    ratio,
    medianRatio: median(timed.map((one) => one.took / one.minimum)),
    most: hasTarget ? maxRatio : undefined,
    isMet: !hasTarget || (ratio !== undefined && ratio <= maxRatio && unanswered + failed === 0),
  }
}
type Figures = ReturnType<typeof figuresOf>

const ms = (time: number | undefined): string => time?.toFixed(2) ?? '-'

const tableOf = (results: readonly Figures[]): string => {
  const table = new Table({
    head: ['', '', 'p50 ms', 'p99 ms', 'minimum', 'p50/min', 'each/min', 'unanswered', 'failed'],
    style: { compact: true },
  })
  for (const result of results) {
    const { weather: condition, contestant, unanswered, failed } = result
    const times = [result.p50, result.p99, result.minimum, result.ratio, result.medianRatio]
    table.push([condition, contestant, ...times.map(ms), unanswered, failed])
  }
  return table.toString()
}

await runCommand<{ acquires: number }>(
  {
    name: 'npm run bench:latency --',
    description: 'Measure an acquire against the quorum-th fastest reply of its own round',
    options: {
      acquires: countOption('--acquires <count>', 'of each library in each case', 100_000, 300),
    },
  },
  async ({ acquires }) => {
    // Closing a rival that hangs makes it reject, which is not measured here.
    countUnhandled()
    await using started = new AsyncDisposableStack()
    const servers = await startServers(5)
    started.defer(servers.close)
    const results: Figures[] = []
    for (const condition of conditions) {
      const clients: MeasuredClient[] = []
      for (const contestant of [...own, ...rivals]) {
        clients.push(await openMeasured(contestant, servers.addresses, condition))
      }
      for (let turn = 0; turn < acquires; turn++) {
        for (const { acquireOnce } of clients) await acquireOnce()
      }
      for (const { close } of clients) close()
      results.push(...clients.map((client) => figuresOf(condition, client.acquires)))
    }
    const isMet = results.every((result) => result.isMet)
    const listed = results
      .filter(({ contestant }) => contestant === edgeRedlock.name)
      .map(({ weather: condition, ratio, most: max }) => {
        return `${condition} ${ratio?.toFixed(3) ?? '-'}${max ? ` (at most ${max})` : ''}`
      })
    return {
      isMet,
      json: { isMet, acquires, results },
      lines: [
        `${servers.engine}, in another process`,
        tableOf(results),
        `Acquire against the quorum-th fastest reply: ${listed.join(', ')}.`,
      ],
    }
  },
)
