import Table from 'cli-table3'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { dollarsPerMillion } from '../../tools/prices.ts'
import { upstashLock } from '../../verification/comparison/contestants/upstash-lock.ts'
import { own, rivals } from '../shared/contestants.ts'
import { startServers } from '../shared/servers.ts'
import { type Costs, costsOf, type Measured, type Step, steps } from './costs.ts'
import { ratelimits } from '../../verification/comparison/contestants/upstash-ratelimit.ts'

// Counts the commands that a library sends, including those that follow after the caller has its answer, and
// the commands that the servers execute for them, also in scripts. Over real servers, 3 to 10 ms away each way,
// with the scripts loaded.

// The maximum cost of a throttle whose window the same isolate has seen closed.
const maxRepeatedRejection = 0

/** What runs on so many nodes. */
const fields: readonly (readonly [nodes: number, contestants: readonly Measured[]])[] = [
  [1, [...own.slice(0, 1), upstashLock, ...ratelimits]],
  [3, [...own, ...rivals]],
  [5, [...own, ...rivals]],
]

const number = (cost: number): string => cost.toFixed(1).replace(/\.0$/, '')

const tableOf = (results: readonly Costs[], cell: (costs: Costs, step: Step) => string): string => {
  const table = new Table({ head: ['nodes', '', ...steps], style: { compact: true } })
  for (const one of results) {
    const cells = steps.map((step, index) => {
      if (!one.costs[step]) return '-'
      return cell(one, step) + (one.isEmulated && index > 1 ? ' *' : '')
    })
    table.push([one.nodes, one.contestant, ...cells])
  }
  return table.toString()
}

const billed = ({ costs }: Costs, step: Step): string => {
  const { executed } = costs[step]!
  return `${number(executed)}  $${dollarsPerMillion(executed)}`
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
    for (const [count, contestants] of fields) {
      const addresses = servers.addresses.slice(0, count)
      for (const one of contestants) results.push(await costsOf(one, addresses, cycles))
    }
    const repeated = results
      .filter(({ contestant }) => own.some(({ name }) => name === contestant))
      .map(({ contestant, nodes, costs }) => {
        return { contestant, nodes, cost: costs['rejected again']!.sent }
      })
    const isMet = repeated.every(({ cost }) => cost <= maxRepeatedRejection)
    const listed = repeated.map(({ contestant, nodes, cost }) => {
      return `${contestant}, ${nodes} nodes ${number(cost)}`
    })
    return {
      isMet,
      json: { isMet, cycles, results },
      lines: [
        `${servers.engine}, in another process`,
        'Commands that are sent; a script is one',
        tableOf(results, ({ costs }, step) => number(costs[step]!.sent)),
        'Commands that are executed, also in scripts, and USD for a million at $0.20 per 100,000',
        tableOf(results, billed),
        '* has no throttle: acquires, and does not release',
        `Commands for a throttle that rejects again (at most ${maxRepeatedRejection}): ${listed.join('; ')}.`,
      ],
    }
  },
)
