import { randomFrom } from '../../../tools/random.ts'
import type { Step } from '../../history/records.ts'
import { historyWriter, now } from '../campaign/history.ts'
import { settingsFromParent } from '../../../tools/child-process.ts'
import type { ClientSettings } from '../campaign/settings.ts'
import { type BurstPlan, runBursts } from './bursts.ts'
import { contend } from './contend.ts'
import { makeStore } from './counter.ts'
import { operate, type Plan, type Tools } from './operation.ts'
import { makePlans, drawThinkTime } from './plans.ts'
import { makeRedlocks } from './redlocks.ts'

// A client process on Node. It writes its own history, and ends with its parent. After the message `watch`, it reports
// when one of its clients holds a lock for which others compete. After `stop`, it ends as soon as all operations have
// ended.

export type NodeSettings = ClientSettings & {
  readonly process: string
  readonly clients: number
  readonly mayPause: boolean
  readonly distance: number
  readonly seed: number
  readonly history: string
}

const settings = await settingsFromParent<NodeSettings>()
const { clients, seed } = settings
const history = historyWriter(settings.history)
const redlocks = makeRedlocks(settings)
const store = makeStore(settings.store)
const stopping = new AbortController()
let isWatched = false

const after = (ms: () => number): number => {
  const at = now()
  return at + ms()
}

/** The arguments of an operation of this client. */
const toolsFor = ({ op, kind }: Plan | BurstPlan): Tools => {
  const say = (step: Step): void => {
    history.write({ ...step, at: now(), process: settings.process, op })
    const isShared = kind === 'guarded' || kind === 'plain'
    if (step.type !== 'acquired' || !isShared || !isWatched) return
    isWatched = false
    process.send!({ type: 'holding' })
  }
  return { redlocks, store, say, after }
}

const run = async (number: number): Promise<void> => {
  const client = `${settings.process}/${number}`
  const random = randomFrom(seed + number)
  const next = makePlans(client, settings.mayPause, random)
  while (!stopping.signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, drawThinkTime(random)))
    const plan = next()
    await operate(plan, toolsFor(plan))
  }
}

process.on('message', ({ type }: { type: 'watch' | 'stop' }) => {
  if (type === 'watch') isWatched = true
  else stopping.abort()
})
const { pid } = process
const runtime = `Node ${process.version}`
history.write({
  type: 'process',
  at: now(),
  process: settings.process,
  pid,
  runtime,
  resolution: 0,
  isComplete: true,
  roundTrip: 2 * settings.distance,
})
process.send!({ type: 'up' })
await Promise.all([
  ...Array.from({ length: clients }, (_, number) => run(number)),
  runBursts(settings.process, stopping.signal, (plan) => contend(plan, toolsFor(plan))),
])
process.disconnect()
