import { type CommandContext, type Outcome, runCommand } from '../cli/command.ts'
import { countOption, flagOption } from '../cli/options.ts'
import { stopped, stopSignal } from '../cli/stop-signal.ts'
import { maxNodes } from '../servers/cluster.ts'
import { freePort } from '../servers/free-port.ts'
import {
  areAllAccepted,
  burstOfOneUser,
  burstOfTenUsers,
  countOf,
  hasOneWinner,
  type Outcome as Answer,
  submitsInTurn,
} from './burst.ts'
import { overObjects } from './over-objects.ts'
import { overRedis } from './over-redis.ts'
import { aboutTimes, summary, table, timeAlone } from './report.ts'
import { warmUp } from './warm-up.ts'

type Options = { count: number; port?: number; bursts: number; once?: true; durableObjects?: true }

const submitsAlone = 20

/** Demonstrates an example, then keeps it running until `stop` aborts. */
const start = async (
  { count, port, bursts, once, durableObjects }: Options,
  { isJson, print }: CommandContext,
  stop: AbortSignal,
): Promise<Outcome | undefined> => {
  await using started = new AsyncDisposableStack()
  const show = durableObjects ? overObjects : overRedis(count)
  const { url, engine, instructions } = await show(await freePort(port), started, print)
  if (stop.aborted) return undefined
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
    engine,
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
  print(`\n${instructions}`)
  await stopped(stop)
  return { ...outcome, lines: [] }
}

await runCommand<Options>(
  {
    name: 'npm start --',
    description: 'Run an example Worker on workerd over its own nodes, and send it a burst',
    options: {
      count: countOption('--count <number>', 'the number of Redis nodes', maxNodes, 5),
      port: countOption('--port <number>', 'the port of the Worker', 65_535),
      bursts: countOption('--bursts <number>', 'the number of bursts for one user', 10_000, 1),
      durableObjects: flagOption(
        '--durable-objects',
        'use Durable Objects of the Worker as the nodes',
      ),
      once: flagOption('--once', 'end after the bursts; implied by --json'),
    },
  },
  async (options, context) => {
    const stop = stopSignal()
    try {
      return await start(options, context, stop)
    } catch (error) {
      // Ctrl-C also ends the child processes, so waiting for them fails.
      if (stop.aborted) return undefined
      throw error
    }
  },
)
