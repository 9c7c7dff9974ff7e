import Table from 'cli-table3'
import { Command } from 'commander'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import { own, rivals } from '../shared/players.ts'
import { startServers } from '../shared/servers.ts'
import { type Costs, costsOf, steps } from './cases.ts'

// What is billed: the commands that a library sends, with everything that follows once the caller
// has its answer. Over three and five real servers, 3 to 10 ms away each way, which know the
// scripts already. A script is one command, as it is billed.

// What a window that was seen to be closed may cost in the same isolate.
const most = 0

const { json, cycles } = new Command('npm run bench:requests --')
  .description('Count the commands of an acquire, a rejection and a throttle')
  .option('--json', 'print the result as JSON')
  .option('--cycles <count>', 'of each step', wholeNumber(10_000), 20)
  .parse()
  .opts<{ json?: true; cycles: number }>()

const servers = await startServers(5)
try {
  const results: Costs[] = []
  for (const count of [3, 5]) {
    const addresses = servers.addresses.slice(0, count)
    for (const one of [...own, ...rivals]) results.push(await costsOf(one, addresses, cycles))
  }
  const again = results
    .filter(({ contestant }) => own.some(({ name }) => name === contestant))
    .map(({ contestant, nodes, costs }) => ({ contestant, nodes, cost: costs['rejected again'] }))
  const isMet = again.every(({ cost }) => cost <= most)
  if (!isMet) process.exitCode = 1
  if (json) console.log(JSON.stringify({ isMet, cycles, results }))
  else {
    const table = new Table({ head: ['nodes', '', ...steps], style: { compact: true } })
    const number = (cost: number): string => cost.toFixed(1).replace(/\.0$/, '')
    for (const { contestant, nodes, isEmulated, costs } of results) {
      const cells = steps.map(
        (step, index) => number(costs[step]) + (isEmulated && index > 1 ? ' *' : ''),
      )
      table.push([nodes, contestant, ...cells])
    }
    console.log(`${servers.engine}, in another process`)
    console.log(table.toString())
    console.log('* has no throttle: acquires, and does not release')
    const listed = again.map(({ contestant, nodes, cost }) => {
      return `${contestant}, ${nodes} nodes ${number(cost)}`
    })
    console.log(
      `Commands for a throttle that rejects again (at most ${most}): ${listed.join('; ')}.`,
    )
  }
} catch (error) {
  reportFailure(error)
} finally {
  await servers.close()
}
