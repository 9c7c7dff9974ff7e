import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CommandContext, type Outcome, runCommand } from '../cli/command.ts'
import { countOption, flagOption } from '../cli/options.ts'
import { stopped, stopSignal } from '../cli/stop-signal.ts'
import { readAssets } from '../servers/assets/read-assets.ts'
import { describeEngine, maxNodes, startCluster } from '../servers/cluster.ts'
import { freePort } from '../servers/free-port.ts'
import { startRuntime } from '../servers/runtime.ts'
import { workerd } from '../servers/workerd.ts'
import {
  areAllAccepted,
  burstOfOneUser,
  burstOfTenUsers,
  countOf,
  hasOneWinner,
  type Outcome as Answer,
  submitsInTurn,
} from './burst.ts'
import { withPanel } from './panel/page.ts'
import { startPanel } from './panel/server.ts'
import { aboutTimes, instructions, summary, table, timeAlone } from './report.ts'
import { warmUp } from './warm-up.ts'

type Options = { count: number; port?: number; bursts: number; once?: true }

const submitsAlone = 20

const example = fileURLToPath(new URL('../../examples/submit', import.meta.url))

/** Shows the main job, and then keeps it running until `stop` aborts. */
const start = async (
  { count, port, bursts, once }: Options,
  { isJson, print }: CommandContext,
  stop: AbortSignal,
): Promise<Outcome | undefined> => {
  await using started = new AsyncDisposableStack()
  const cluster = await startCluster({ count })
  started.defer(cluster.close)
  print(describeEngine(cluster))
  if (stop.aborted) return undefined
  const free = await freePort(port)
  const panel = await startPanel(cluster, free)
  started.defer(panel.close)
  const assets = withPanel(await readAssets(join(example, 'public')), panel.script)
  const runtime = workerd(join(import.meta.dirname, 'worker.ts'), {
    port: free,
    assets,
    flags: ['nodejs_als'],
  })
  const worker = await startRuntime(runtime, cluster.env)
  started.defer(worker.stop)
  const { url } = worker
  print(`The Worker of examples/submit runs on workerd: ${url}`)
  const warmUps = await warmUp(url, stop)

  const alone = await submitsInTurn(url, submitsAlone)
  const single: Answer[][] = []
  while (single.length < bursts && !stop.aborted) {
    const outcomes = await burstOfOneUser(url)
    if (single.length === 0) {
      print(`\nOne user sends ten submits at the same moment:\n${table(outcomes)}`)
    }
    single.push(outcomes)
  }
  if (stop.aborted) return undefined
  const several = await burstOfTenUsers(url)
  print(`\nTen users send one submit each, at the same moment:\n${table(several)}\n`)
  print(`${aboutTimes(alone, warmUps)}\n`)

  const exact = single.filter(hasOneWinner).length
  const isMet = exact === bursts && areAllAccepted(several)
  const lines = summary(single, several, exact)
  const json = {
    isMet,
    engine: cluster.engine,
    bursts,
    exact,
    single: single.map((outcomes) => countOf(outcomes, 202)),
    several: countOf(several, 202),
    warmUps,
    timeAlone: timeAlone(alone),
  }
  const outcome = { isMet, json }
  if (once || isJson) return { ...outcome, lines }
  for (const line of lines) print(line)
  print(`\n${instructions(url)}`)
  await stopped(stop)
  return { ...outcome, lines: [] }
}

await runCommand<Options>(
  {
    name: 'npm start --',
    description:
      'Run the example Worker on workerd over Redis nodes of its own, and send it a burst',
    options: {
      count: countOption('--count <number>', 'Redis nodes', maxNodes, 5),
      port: countOption('--port <number>', 'of the Worker', 65_535),
      bursts: countOption('--bursts <number>', 'how many bursts for one user', 10_000, 1),
      once: flagOption('--once', 'end after the bursts; implied by --json'),
    },
  },
  async (options, context) => {
    const stop = stopSignal()
    try {
      return await start(options, context, stop)
    } catch (error) {
      // Ctrl-C reaches the processes below this one too, and whatever waits for them fails.
      if (stop.aborted) return undefined
      throw error
    }
  },
)
