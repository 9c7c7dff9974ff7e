import Table from 'cli-table3'
import { Command } from 'commander'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'
import { countUnhandled } from '../../verification/comparison/unhandled.ts'
import { own, rivals } from '../shared/players.ts'
import { median, quantile } from '../shared/quantile.ts'
import { startServers } from '../shared/servers.ts'
import { enter, type Player, type Tries } from './tries.ts'
import { type Weather, weathers } from './weather.ts'

// How long an acquire takes against the least it can take: the moment at which the quorum-th
// fastest of its own replies reaches the client. Five real servers, 3 to 10 ms away each way; this
// project over REST, the others over ioredis and TCP. One acquire at a time, of a key that nobody
// else wants, and its release. In turn, so that what else the machine does meets all of them.

const { json, acquires } = new Command('npm run bench:latency --')
  .description('Measure an acquire against the quorum-th fastest reply of its own round')
  .option('--json', 'print the result as JSON')
  .option('--acquires <count>', 'of each library in each case', wholeNumber(100_000), 300)
  .parse()
  .opts<{ json?: true; acquires: number }>()

/** The figures of one contestant in one weather, of those of its tries that were answered. */
const figuresOf = ({ name, most }: Weather, { contestant, timed, unanswered, failed }: Tries) => {
  const took = timed.map((one) => one.took)
  const minimum = median(timed.map((one) => one.minimum))
  const p50 = median(took)
  // By default; what else it can be told to do has aims of its own.
  const isBound = contestant === edgeRedlock.name && most !== undefined
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
    most: isBound ? most : undefined,
    isMet: !isBound || (ratio !== undefined && ratio <= most && unanswered + failed === 0),
  }
}

// What a rival that hangs rejects with when it is closed is of no interest here.
countUnhandled()
const servers = await startServers(5)
try {
  const results: ReturnType<typeof figuresOf>[] = []
  for (const weather of weathers) {
    const players: Player[] = []
    for (const one of [...own, ...rivals]) {
      players.push(await enter(one, servers.addresses, weather))
    }
    for (let turn = 0; turn < acquires; turn++) for (const { play } of players) await play()
    for (const { close } of players) close()
    results.push(...players.map(({ tries }) => figuresOf(weather, tries)))
  }
  const isMet = results.every((result) => result.isMet)
  if (!isMet) process.exitCode = 1
  if (json) console.log(JSON.stringify({ isMet, acquires, results }))
  else {
    const ms = (time: number | undefined): string => time?.toFixed(2) ?? '-'
    const table = new Table({
      head: ['', '', 'p50 ms', 'p99 ms', 'minimum', 'p50/min', 'each/min', 'unanswered', 'failed'],
      style: { compact: true },
    })
    for (const result of results) {
      const { weather, contestant, unanswered, failed } = result
      const times = [result.p50, result.p99, result.minimum, result.ratio, result.medianRatio]
      table.push([weather, contestant, ...times.map(ms), unanswered, failed])
    }
    console.log(`${servers.engine}, in another process`)
    console.log(table.toString())
    const listed = results
      .filter(({ contestant }) => contestant === edgeRedlock.name)
      .map(({ weather, ratio, most }) => {
        return `${weather} ${ratio?.toFixed(3) ?? '-'}${most ? ` (at most ${most})` : ''}`
      })
    console.log(`Acquire against the quorum-th fastest reply: ${listed.join(', ')}.`)
  }
} catch (error) {
  reportFailure(error)
} finally {
  await servers.close()
}
