import Table from 'cli-table3'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { own, rivals } from '../shared/contestants.ts'
import { startServers } from '../shared/servers.ts'
import { type Costs, costsOf, steps } from './costs.ts'

// Counts the commands that a library sends, including those that follow after the
// caller has its answer. Over three and five real servers, 3 to 10 ms away each way, with the scripts
// loaded. A script counts as one command.

// The maximum cost of a throttle whose window the same isolate has seen closed.
const maxRepeatedRejection = 0

const number = (cost: number): string => cost.toFixed(1).replace(/\.0$/, '')

const tableOf = (results: readonly Costs[]): string => {
  const table = new Table({ head: ['nodes', '', ...steps], style: { compact: true } })
  for (const { contestant, nodes, isEmulated, costs } of results) {
    const cells = steps.map(
      (step, index) => number(costs[step]) + (isEmulated && index > 1 ? ' *' : ''),
    )
    table.push([nodes, contestant, ...cells])
  }
  return table.toString()
}

await runCommand<{ cycles: number }>(
  {
    name: 'npm run bench:requests --',
    description: 'Count the commands of an acquire, a rejection and a throttle',
    options: {
      cycles: countOption('--cycles <count>', 'of each step', 10_000, 20),
    },
  },
  async ({ cycles }) => {
    await using started = new AsyncDisposableStack()
    const servers = await startServers(5)
    started.defer(servers.close)
    const results: Costs[] = []
    for (const count of [3, 5]) {
      const addresses = servers.addresses.slice(0, count)
      for (const one of [...own, ...rivals]) results.push(await costsOf(one, addresses, cycles))
    }
    const repeated = results
      .filter(({ contestant }) => own.some(({ name }) => name === contestant))
      .map(({ contestant, nodes, costs }) => ({ contestant, nodes, cost: costs['rejected again'] }))
    const isMet = repeated.every(({ cost }) => cost <= maxRepeatedRejection)
    const listed = repeated.map(({ contestant, nodes, cost }) => {
      return `${contestant}, ${nodes} nodes ${number(cost)}`
    })
    return {
      isMet,
      json: { isMet, cycles, results },
      lines: [
        `${servers.engine}, in another process`,
        tableOf(results),
        '* has no throttle: acquires, and does not release',
        `Commands for a throttle that rejects again (at most ${maxRepeatedRejection}): ${listed.join('; ')}.`,
      ],
    }
  },
)
