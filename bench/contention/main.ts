import Table from 'cli-table3'
import { Command } from 'commander'
import { startCluster } from '../../dev/cluster.ts'
import { reportFailure } from '../../dev/report-failure.ts'
import { wholeNumber } from '../../dev/whole-number.ts'
import { contestants } from '../rivals/contestants/all.ts'
import { edgeRedlockFrugal } from '../rivals/contestants/edge-redlock.ts'
import { addressesOf } from '../rivals/nodes.ts'
import { type Bursts, playBursts } from './burst.ts'

// Bursts: so many clients ask for one lock at the same moment, with one try each, over five real
// servers that are 3 to 10 ms away each way. How often does exactly one of them get it, after how
// long, and what does that cost?

// What the requests of a burst may be, against the best rival of the same run.
const most = 1.1

const { json, bursts, sizes } = new Command('npm run bench:contention --')
  .description('Measure bursts of clients who ask for one lock at the same moment')
  .option('--json', 'print the result as JSON')
  .option('--bursts <count>', 'of each size', wholeNumber(100_000), 100)
  .option(
    '--sizes <list>',
    'how many clients',
    (text) => text.split(',').map((size) => wholeNumber(200)(size)),
    [2, 3, 5, 10, 50],
  )
  .parse()
  .opts<{ json?: true; bursts: number; sizes: number[] }>()

const percent = (count: number): string => `${((100 * count) / bursts).toFixed(0)} %`

const cluster = await startCluster({ count: 5 })
try {
  const addresses = addressesOf(cluster)
  const players = [edgeRedlockFrugal, ...contestants.filter(({ lacks }) => !lacks['several nodes'])]
  const results: Bursts[] = []
  for (const size of sizes) {
    for (const player of players) results.push(await playBursts(player, addresses, size, bursts))
  }
  const own = results.filter(({ contestant }) => contestant === 'edge-redlock')
  const ratios = own.map(({ size, requests }) => {
    const rivals = results.filter((other) => other.size === size && !own.includes(other))
    return { size, ratio: requests / Math.min(...rivals.map((rival) => rival.requests)) }
  })
  const hasWinners = own.every(({ one }) => one === bursts)
  const isMet = hasWinners && ratios.every(({ ratio }) => ratio <= most)
  if (!isMet) process.exitCode = 1
  if (json) console.log(JSON.stringify({ isMet, bursts, results, ratios }))
  else {
    const table = new Table({
      head: ['clients', '', 'no winner', 'one', 'several', 'requests', 'ms to the winner'],
      style: { compact: true },
    })
    for (const { contestant, size, none, one, several, requests, toWinner } of results) {
      const counts = [none, one, several].map(percent)
      table.push([size, contestant, ...counts, requests.toFixed(1), toWinner?.toFixed(0) ?? '-'])
    }
    console.log(table.toString())
    const listed = ratios.map(({ size, ratio }) => `${size}: ${ratio.toFixed(2)}`).join(', ')
    const winners = own.map(({ size, one }) => `${size}: ${percent(one)}`).join(', ')
    console.log(
      `Bursts with exactly one winner: ${winners}. Requests against the best rival (at most ${most}): ${listed}.`,
    )
  }
} catch (error) {
  reportFailure(error)
} finally {
  await cluster.close()
}
