import { fileURLToPath } from 'node:url'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { describeEngine, startCluster } from '../../tools/servers/cluster.ts'
import { type Running, startRuntime } from '../../tools/servers/runtime.ts'
import { workerd } from '../../tools/servers/workerd.ts'
import { terminalTable } from '../shared/table.ts'
import { outcomeOf } from '../shared/target.ts'
import { type AgainstByHand, measureAgainstByHand } from './by-hand/measure.ts'
import { measureRoutes } from './measure-routes.ts'
import { byHandColumns, byHandRows, routeColumns, targetsOf } from './results.ts'
import { compared, count } from './routes.ts'

// Measures the cost of the middleware: a trivial Hono handler on workerd, alone and behind lock() and throttle(),
// over three real servers on this machine. It also counts the commands that are billed per request. Two routes are
// compared with handlers in the same app that send the same requests by hand, because no middleware can avoid those.
// For information, they are also compared with a bare Worker without Hono or timeouts.

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

await runCommand<{ seconds: number; rounds: number; connections: number }>(
  {
    name: 'npm run bench -- http',
    description: 'Measure the cost of the middleware for a trivial handler on workerd',
    options: {
      seconds: countOption('--seconds <count>', 'the duration of the load on each route', 600, 5),
      rounds: countOption(
        '--rounds <count>',
        'the number of rounds of load, in turn with the Workers by hand',
        100,
        5,
      ),
      connections: countOption(
        '--connections <count>',
        'the number of simultaneous connections',
        1000,
        10,
      ),
    },
  },
  async ({ seconds, rounds, connections }) => {
    await using started = new AsyncDisposableStack()
    const cluster = await startCluster({ count })
    started.defer(cluster.close)
    const starter = (file: string) => (): Promise<Running> =>
      startRuntime(workerd(fileOf(file)), cluster.env)
    const start = {
      middleware: starter('worker.ts'),
      byHand: starter('by-hand/worker.ts'),
      bare: starter('by-hand/bare/worker.ts'),
    }
    const results = await measureRoutes(cluster, start, { connections, seconds })
    const comparisons: AgainstByHand[] = []
    for (const route of compared) {
      const options = { connections, seconds, rounds }
      comparisons.push(await measureAgainstByHand(route, start, options))
    }
    const json = { connections, results, byHand: comparisons }
    return outcomeOf(`Over ${count} nodes`, targetsOf(results, comparisons), json, [
      `${describeEngine(cluster)}; ${connections} connections`,
      terminalTable(results, routeColumns),
      terminalTable(byHandRows(comparisons), byHandColumns),
    ])
  },
)
