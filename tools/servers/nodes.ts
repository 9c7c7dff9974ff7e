import { Command } from 'commander'
import { reportFailure } from '../cli/report-failure.ts'
import { stopped, stopSignal } from '../cli/stop-signal.ts'
import { wholeNumber } from '../cli/whole-number.ts'
import { describeEngine, mostNodes, startCluster } from './cluster.ts'
import { startWorker } from './worker.ts'

const program = new Command('npm run nodes --')
  .description('Start Redis servers on this machine, each behind its own gateway, until Ctrl-C')
  .option('--count <number>', 'how many', wholeNumber(mostNodes), 5)
  .option('--worker', 'hand them to the Worker of wrangler.toml under wrangler dev')
  .option('--port <number>', 'of the Worker', wholeNumber(65_535))
  .parse()
const { count, worker, port } = program.opts<{ count: number; worker?: true; port?: number }>()

const run = async (): Promise<void> => {
  const stop = stopSignal()
  await using started = new AsyncDisposableStack()
  const cluster = await startCluster({ count })
  started.defer(cluster.close)
  console.log(describeEngine(cluster))
  const ports = cluster.nodes.flatMap(({ redis }) => redis?.port ?? [])
  if (ports.length > 0) console.log(`Redis itself listens on ${ports.join(', ')}`)
  console.log(`REDLOCK_NODES='${cluster.env.REDLOCK_NODES}'`)
  if (worker && !stop.aborted) {
    const { url, stop: end } = await startWorker({ variables: cluster.env, port })
    started.defer(end)
    console.log(`Worker: ${url}`)
  }
  console.log('Ctrl-C ends them.')
  await stopped(stop)
}

await run().catch(reportFailure)
