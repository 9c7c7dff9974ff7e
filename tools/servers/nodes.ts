import { countOption, flagOption } from '../cli/options.ts'
import { runCommand } from '../cli/command.ts'
import { stopped, stopSignal } from '../cli/stop-signal.ts'
import { describeEngine, maxNodes, startCluster } from './cluster.ts'
import { startWorker } from './worker.ts'

type Options = { count: number; worker?: true; port?: number }

await runCommand<Options>(
  {
    name: 'npm run nodes --',
    description: 'Start Redis servers on this machine, each behind its own gateway, until Ctrl-C',
    options: {
      count: countOption('--count <number>', 'how many', maxNodes, 5),
      worker: flagOption('--worker', 'hand them to the Worker of wrangler.toml under wrangler dev'),
      port: countOption('--port <number>', 'the port of the Worker', 65_535),
    },
    jsonIndent: false,
  },
  async ({ count, worker, port }, { print }) => {
    const stop = stopSignal()
    await using started = new AsyncDisposableStack()
    // Enable persistence, so that the nodes keep their locks after a restart, as the nodes of a deployment should.
    const cluster = await startCluster({ count, settings: { appendonly: 'yes' } })
    started.defer(cluster.close)
    print(describeEngine(cluster))
    const ports = cluster.nodes.flatMap(({ redis }) => redis?.port ?? [])
    if (ports.length > 0) print(`Redis itself listens on ${ports.join(', ')}`)
    print(`REDLOCK_NODES='${cluster.env.REDLOCK_NODES}'`)
    if (worker && !stop.aborted) {
      const { url, stop: end } = await startWorker({ variables: cluster.env, port })
      started.defer(end)
      print(`Worker: ${url}`)
    }
    print('Ctrl-C ends them.')
    await stopped(stop)
    return undefined
  },
)
