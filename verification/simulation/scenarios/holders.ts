import { makeHoldGuard } from '../checks/hold-guard.ts'
import { nearDistance } from '../engine/distance.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import type { Server } from '../engine/server.ts'
import { buildScenario } from '../workload/build-scenario.ts'
import { calm } from '../workload/fault-rates.ts'
import { useForLong } from '../workload/keep-alive-holder.ts'
import { letAllEnd } from '../workload/let-all-end.ts'
import type { Scenario } from '../workload/scenario.ts'
import { allAilments, makeSickNodes, type SickNodes } from '../workload/sick-nodes.ts'
import { startClient } from '../workload/simulated-client.ts'
import type { HistoryKind } from './kind.ts'

// Clients hold a lock for several TTLs each, while others try to acquire it and a minority of the nodes is faulty.

// A quorum replies within this share of the validity.
const maxShare = 0.2

const draw = (loop: EventLoop): Scenario => {
  const { random } = loop
  const [shortest, longest] = random.pick([
    [50, 50],
    [50, 200],
    [200, 1_000],
    [1_000, 5_000],
  ] as const)
  const ttl = random.whole(shortest, longest)
  const driftFactor = random.pick([0.01, 0.01, 0.01, 0.05, 0.2, 0.5])
  const validity = ttl * (1 - driftFactor) - 2
  const distance = Math.min(10, (validity * maxShare) / 2)
  return buildScenario(loop, {
    rates: { ...calm, profile: 'holders', distance },
    count: random.pick([3, 3, 3, 5, 5, 4]),
    distance: nearDistance(distance / 5, distance),
    keys: ['held'],
    maxTtl: ttl,
    options: {
      ttl,
      driftFactor,
      nodeTimeout: undefined,
      retry: {},
      localQueue: random.chance(0.5),
    },
    checksForSecrets: random.chance(0.1),
  })
}

/**
 * Changes the faults of a minority of the nodes from time to time. Before other nodes become faulty, all nodes are
 * healthy for long enough to extend every lock on all of them.
 */
const changeSickness = (
  { loop, servers, quorum, options, clients, recorder }: Scenario,
  sick: SickNodes,
  mayStrike: (server: Server) => boolean,
  isOver: () => boolean,
): void => {
  const { random, after } = loop
  const strike = (server: Server): void => {
    const ailment = random.pick(allAilments)
    sick.strike(server, ailment)
    const isHeld = clients.some(({ held }) => held.size > 0)
    if (isHeld) recorder.covered(`kept alive while a node ${ailment}`)
  }
  const strikeOthers = (): void => {
    for (let count = random.whole(1, servers.length - quorum); count > 0; count--) {
      const candidates = servers.filter(mayStrike)
      if (candidates[0]) strike(random.pick(candidates))
    }
    after(random.between(0.3, 3) * options.ttl, change)
  }
  const change = (): void => {
    if (isOver()) return
    const last = servers.filter(({ name }) => sick.ailments.has(name))
    sick.cureAll()
    if (random.chance(0.5)) after(random.between(1, 2) * options.ttl, strikeOthers)
    else {
      last.forEach(strike)
      after(random.between(0.3, 3) * options.ttl, change)
    }
  }
  strikeOthers()
}

const run = async (scenario: Scenario): Promise<void> => {
  const { loop, options, clients } = scenario
  const { random } = loop
  const sick = makeSickNodes(scenario)
  const guard = makeHoldGuard(scenario, ({ name }) => sick.ailments.has(name))
  const isSpread = random.chance(0.4)
  const size = random.pick([1, 2, 3, 5])
  let open = size
  const runClient = async (name: string): Promise<void> => {
    const client = startClient(scenario, name)
    clients.push(client)
    if (isSpread) await client.process.sleep(random.between(0, 3) * options.ttl)
    for (let turn = random.whole(1, 2); turn > 0; turn--) await useForLong(scenario, client, guard)
    open--
  }
  if (random.chance(0.85)) changeSickness(scenario, sick, guard.mayStrike, () => open === 0)
  const done = Array.from({ length: size }, (_, index) => runClient(`c${index + 1}`))
  await loop.runUntil(loop.now() + 60 * options.ttl + 60_000, () => open === 0)
  if (open > 0) scenario.recorder.violated('settled', `${open} clients have not finished`)
  else await Promise.all(done)
  await letAllEnd(scenario, sick)
}

export const holders: HistoryKind = { draw, run }
