import { quorumRoundTripOf } from '../checks/round-trip.ts'
import { nearDistance } from '../engine/distance.ts'
import { buildScenario } from '../workload/build-scenario.ts'
import { calm } from '../workload/fault-rates.ts'
import { letAllEnd } from '../workload/let-all-end.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import { makeSickNodes } from '../workload/sick-nodes.ts'
import { startClient } from '../workload/simulated-client.ts'
import type { HistoryKind } from './kind.ts'

// One process loses replies from a node. Then many users call simultaneously, each for a different lock, while a
// minority of the other nodes is faulty. The lost replies that the process remembers must neither fail nor delay a call.

// An upper bound on the duration of a crowd, in ms.
const limit = 30_000

// A process can avoid a node after 16 requests without a reply: two for each lock.
const manyLost = 8

// In ms: the resolution of simulated timers, and the head start of the node that is contacted first.
const [timerTick, maxHeadStart] = [1, 250]

/** Lets each user acquire and release a different lock at the same moment. Returns the time that each took, in ms. */
const callAtOnce = async (
  { loop, recorder }: Scenario,
  { process, redlock, background }: SimulatedClient,
  name: string,
  users: number,
): Promise<(number | undefined)[]> => {
  const times: (number | undefined)[] = []
  const waitUntil = (work: Promise<unknown>): void => void background.push(work)
  const call = async (user: number): Promise<void> => {
    const begun = loop.now()
    const result = await redlock.tryAcquire(`${name} ${user}`, { waitUntil })
    times.push(result.ok ? loop.now() - begun : undefined)
    if (result.ok) await result.lock.release()
  }
  recorder.beginCall(process.name)
  await Promise.all(Array.from({ length: users }, (_, user) => call(user)))
  while (background.length > 0) await Promise.all(background.splice(0))
  recorder.endCall(process.name)
  return times
}

/** Starts the calls of a crowd. Returns a function that waits until all calls have ended. */
const beginCrowd = (
  scenario: Scenario,
  client: SimulatedClient,
  name: string,
  users: number,
): (() => Promise<readonly (number | undefined)[]>) => {
  const { loop, recorder } = scenario
  let times: (number | undefined)[] | undefined
  callAtOnce(scenario, client, name, users)
    .then((result) => (times = result))
    .catch((error: unknown) => recorder.violated('errors', String(error)))
  return async () => {
    await loop.runUntil(loop.now() + limit, () => times !== undefined)
    if (!times) recorder.violated('settled', `${name} has not ended`)
    return times ?? []
  }
}

const run = async (scenario: Scenario): Promise<void> => {
  const { loop, servers, quorum, recorder, clients } = scenario
  const { random } = loop
  const client = startClient(scenario, 'p')
  clients.push(client)
  await beginCrowd(scenario, client, 'warm-up', 3)()

  const sick = makeSickNodes(scenario)
  const at = random.whole(0, servers.length - 1)
  const [forgetful, ...others] = [...servers.slice(at), ...servers.slice(0, at)]
  sick.strike(forgetful!, 'hangs')
  const lost = random.pick([1, 1, 3, 7, 8, 16, 40])
  // These calls can still time out after the node replies again.
  const endEarlier = beginCrowd(scenario, client, 'earlier', lost)
  await loop.runUntil(loop.now() + random.pick([20, 500, 620, 1_000, 2_200]))
  sick.cure(forgetful!)
  if (random.chance(0.5)) await beginCrowd(scenario, client, 'meanwhile', 3)()

  const struck = others.slice(0, servers.length - quorum)
  for (const server of struck) sick.strike(server, random.pick(['hangs', 'refuses', 'rejects']))
  const times = await beginCrowd(scenario, client, 'crowd', random.whole(20, 60))()
  const failed = times.filter((time) => time === undefined).length
  if (failed > 0)
    recorder.violated('crowd', `${failed} of ${times.length} after ${lost} calls without an answer`)

  const isStruck = (name: string): boolean => struck.some((server) => server.name === name)
  const roundTrip = quorumRoundTripOf(scenario, client.process.name, isStruck)
  const headStart = client.strategy === 'frugal' ? maxHeadStart : 0
  const longest = Math.max(...times.map((time) => time ?? 0))
  if (lost < manyLost && longest > roundTrip + timerTick + headStart)
    recorder.exceeded(
      'crowd latency',
      `${longest.toFixed(1)} ms after ${lost} calls without an answer`,
    )
  recorder.covered(lost < manyLost ? 'crowd after a lost answer' : 'crowd after a node was silent')
  await endEarlier()
  await letAllEnd(scenario, sick)
}

export const crowds: HistoryKind = {
  draw: (loop) => {
    const { random } = loop
    const max = random.pick([2, 5])
    return buildScenario(loop, {
      rates: { ...calm, profile: 'crowd', distance: max },
      count: random.pick([3, 3, 5]),
      distance: nearDistance(max / 5, max),
      keys: ['crowd'],
      maxTtl: 10_000,
      options: {
        ttl: 10_000,
        driftFactor: 0.01,
        nodeTimeout: random.pick([undefined, undefined, 500]),
        retry: {},
        localQueue: random.chance(0.5),
      },
      checksForSecrets: random.chance(0.1),
    })
  },
  run,
}
