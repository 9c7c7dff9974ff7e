import { checkShared } from '../checks/once-checks.ts'
import { makeOnceLog, type OnceLog, onceName } from '../checks/once-log.ts'
import { drawRecords, isCalm, isSteady } from '../workload/draw-records.ts'
import { letAllEnd } from '../workload/let-all-end.ts'
import { callForget, callOnce } from '../workload/once-call.ts'
import { injectRandomFaults } from '../workload/random-faults.ts'
import { beginFaults, killSome } from '../workload/record-faults.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import { makeSickNodes } from '../workload/sick-nodes.ts'
import { startClient } from '../workload/simulated-client.ts'
import type { HistoryKind } from './kind.ts'

// Several processes call `once` for one key, and `forget` in between. Meanwhile, nodes are faulty, the network loses
// and duplicates messages, and processes pause or crash at any step.

// In ms: the longest `wait` of a call, and the time in which all calls end after the last fault.
const [maxWait, maxEnd] = [6_000, 12_000]

type Plan = {
  readonly log: OnceLog
  readonly keepFor: number
  readonly fails: boolean
  readonly aborts: boolean
  readonly forgets: boolean
  /** Whether some runs take longer than their `maxHold`. */
  readonly hurries: boolean
  readonly isOver: () => boolean
}

/** Makes up to three simultaneous calls in one process. */
const callAtOnce = async (
  scenario: Scenario,
  client: SimulatedClient,
  { log, keepFor, fails, aborts, hurries }: Plan,
): Promise<void> => {
  const { random } = scenario.loop
  const { ttl } = scenario.options
  const calls = Array.from({ length: random.pick([1, 1, 2, 3]) }, () =>
    callOnce(scenario, client, log, {
      keepFor,
      wait: random.pick([0, random.between(0, 3 * ttl), maxWait]),
      work: random.pick([0, random.between(0, 10), random.between(0, 3 * ttl)]),
      maxHold: hurries ? ttl : undefined,
      fails: fails && random.chance(0.3),
      mayAbort: aborts,
    }),
  )
  await Promise.all(calls)
}

const runClient = async (
  scenario: Scenario,
  client: SimulatedClient,
  plan: Plan,
): Promise<void> => {
  const { random } = scenario.loop
  const { ttl } = scenario.options
  const isSpread = random.chance(0.5)
  for (let turns = random.whole(1, 3); turns > 0 && !plan.isOver(); turns--) {
    await client.process.sleep(random.between(0, isSpread ? 4 * ttl : 3))
    if (plan.forgets && random.chance(0.35)) {
      await callForget(scenario, client, plan.log, random.pick([0, 2 * ttl, maxWait]))
    } else await callAtOnce(scenario, client, plan)
  }
}

/** Checks that later processes receive a value. */
const checkLater = async (scenario: Scenario, log: OnceLog, keepFor: number): Promise<void> => {
  const { loop, clients, recorder } = scenario
  for (const name of ['late-1', 'late-2']) {
    const client = startClient(scenario, name)
    clients.push(client)
    const settings = {
      keepFor,
      wait: maxWait,
      work: 5,
      maxHold: undefined,
      fails: false,
      mayAbort: false,
    }
    let [isOver, hasValue] = [false, false]
    const call = async (): Promise<void> => {
      hasValue = await callOnce(scenario, client, log, settings)
      isOver = true
    }
    void call()
    await loop.runUntil(loop.now() + maxEnd, () => isOver)
    if (!hasValue) recorder.violated('service', `${name} has got no value`)
  }
}

const run = async (scenario: Scenario): Promise<void> => {
  const { loop, options, clients, rates, recorder, network } = scenario
  const { random } = loop
  const log = makeOnceLog(scenario)
  const minority = beginFaults(scenario, 'once')
  let isOver = false
  const hurries = random.chance(0.25)
  const plan: Plan = {
    log,
    keepFor: random.pick([0, 0, 1_000, 5_000]),
    fails: random.chance(0.4),
    aborts: random.chance(0.3),
    // A run that has lost its key must not restore a value that `forget` has deleted.
    forgets: hurries || random.chance(0.3),
    hurries,
    isOver: () => isOver,
  }
  const { keepFor } = plan
  recorder.covered(keepFor === 0 ? 'once: nothing is kept' : 'once: values are kept')
  const size = random.whole(2, 5)
  for (let index = 1; index <= size; index++) clients.push(startClient(scenario, `c${index}`))
  const open = new Set(clients)
  for (const client of clients) {
    void runClient(scenario, client, plan).then(() => open.delete(client))
  }
  const killed = killSome(scenario, 'once', clients)
  const end = random.between(5, 20) * options.ttl
  injectRandomFaults(scenario, end)
  const openNow = (): SimulatedClient[] => [...open].filter(({ process }) => process.isAlive())
  await loop.runUntil(loop.now() + end)
  network.heal()
  minority.sick.cureAll()
  isOver = true
  await loop.runUntil(loop.now() + maxEnd, () => openNow().length === 0)
  const names = openNow().map(({ process }) => process.name)
  if (names.length > 0) recorder.violated('service', `${names.join()} has not ended`)
  const hasLost = log.runs.some(({ wasLost }) => wasLost)
  const hasEnded = killed.length > 0 || hasLost || plan.fails || plan.aborts
  if (!hasEnded && isCalm(rates)) checkShared(scenario, log)
  if (killed.length === 0 && !hasLost && isSteady(rates)) recorder.covered('once: undisturbed')
  await checkLater(scenario, log, keepFor)
  await letAllEnd(scenario, makeSickNodes(scenario))
}

export const once: HistoryKind = {
  draw: (loop) => drawRecords(loop, 'once', onceName),
  run,
}
