import { nearDistance } from '../engine/distance.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import { epoch } from '../engine/process.ts'
import { buildScenario } from '../workload/build-scenario.ts'
import { calm, type FaultRates } from '../workload/fault-rates.ts'
import { randomCall } from '../workload/random-call.ts'
import type { Scenario } from '../workload/scenario.ts'
import { startClient } from '../workload/simulated-client.ts'
import type { HistoryKind } from './kind.ts'

// A few random calls, repeated after pauses in which the counters of their locks expire. The clocks differ by as much as
// the guarantees allow.

const day = 86_400_000

// A counter can be this many ms ahead of the clock of one server, and start as far behind the clock of another.
const clockTolerance = 5_000

// Counters increase by one if a key is acquired several times within a millisecond.
const margin = 500

/** Draws which servers forbid TIME, and how far clocks can then be apart, in ms. */
const drawClocks = ({ random }: EventLoop, fenceTtl: number) => {
  const limit = fenceTtl - 2 * clockTolerance - margin
  const jumps = random.chance(0.3)
  const kind = random.pick(['TIME', 'no TIME', 'TIME on some nodes'] as const)
  if (kind === 'TIME') {
    // A clock that jumps can be ahead by the whole limit before it steps back.
    const servers = jumps ? limit / 2 : limit
    return { kind, jumps, servers, clients: random.pick([0, limit, 3 * day]), life: fenceTtl }
  }
  // Counters follow client clocks. Server clocks only determine when a fence expires.
  if (kind === 'no TIME') {
    return { kind, jumps: false, servers: day, clients: day - margin, life: day }
  }
  return { kind, jumps: false, servers: limit, clients: limit, life: day }
}

type Drawn = ReturnType<typeof drawClocks> & { readonly fenceTtl: number }
const clocksOf = new WeakMap<Scenario, Drawn>()

const draw = (loop: EventLoop): Scenario => {
  const { random } = loop
  // Some locks live longer than the `fenceTtl`.
  const isLong = random.chance(0.3)
  const fenceTtl = isLong ? 11_000 : random.pick([11_000, 30_000, 600_000])
  const ttl = isLong ? random.whole(2_000, 10_000) : random.whole(50, 500)
  const clocks = drawClocks(loop, fenceTtl)
  const rates: FaultRates = {
    ...calm,
    profile: 'expiry',
    skew: clocks.clients,
    // If server clocks jump, the guarantees cover only tokens.
    nodeJumps: clocks.jumps ? 1 : 0,
    ...(random.chance(0.5) && { requestLost: 0.05, replyLost: 0.1, duplicated: 0.1, slow: 0.1 }),
  }
  const scenario = buildScenario(loop, {
    rates,
    count: random.pick([3, 3, 5]),
    distance: nearDistance(0.3, 6),
    clockOf: (index) => ({
      // Half of the clocks are off by the maximum.
      skew:
        clocks.servers *
        (random.chance(0.5) ? random.pick([-0.5, 0.5]) : random.between(-0.5, 0.5)),
      rejectsTime:
        clocks.kind === 'no TIME' ||
        (clocks.kind !== 'TIME' && (index === 0 || random.chance(0.3))),
    }),
    keys: random.chance(0.7) ? ['k1'] : ['k1', 'k2'],
    maxTtl: isLong ? random.whole(fenceTtl, 2 * fenceTtl) : ttl,
    options: {
      ttl,
      fenceTtl,
      driftFactor: 0.01,
      nodeTimeout: undefined,
      retry: { attempts: random.whole(1, 4), delay: 1, maxDelay: 40 },
      localQueue: random.chance(0.5),
    },
    checksForSecrets: random.chance(0.1),
  })
  clocksOf.set(scenario, { ...clocks, fenceTtl })
  return scenario
}

/** Runs one to three new clients, each with its own clocks and one or two calls. */
const runClients = async (scenario: Scenario, name: string): Promise<void> => {
  const { loop, clients, recorder, options, maxTtl } = scenario
  const { random } = loop
  const size = random.pick([1, 2, 2, 3])
  let open = size
  const runClient = async (index: number): Promise<void> => {
    const client = startClient(scenario, `${name}${index}`)
    clients.push(client)
    await client.process.sleep(random.between(0, options.ttl))
    for (let turn = random.whole(1, 2); turn > 0; turn--) await randomCall(scenario, client)
    open--
  }
  const done = Array.from({ length: size }, (_, index) => runClient(index + 1))
  await loop.runUntil(loop.now() + 20 * maxTtl + 20_000, () => open === 0)
  if (open > 0) recorder.violated('settled', `${open} clients have not finished`)
  else await Promise.all(done)
}

/** Sets some server clocks to random times within the limits. */
const jumpClocks = ({ loop, servers, recorder }: Scenario, width: number): void => {
  const { random } = loop
  for (const server of servers) {
    if (random.chance(0.5)) continue
    const offset = server.wall() - epoch - loop.now()
    server.jumpClock(random.between(-0.5, 0.5) * width - offset)
  }
  recorder.covered('server clocks that jump')
}

/** Counts the keys that were held and whose counters have expired. */
const coverExpiry = ({ servers, recorder, keys }: Scenario, kind: string): void => {
  for (const { entries, wall } of servers) {
    for (const key of keys) {
      const fence = entries.get(`lock:f:${key}`)
      if (fence && fence.expiresAt < wall()) recorder.covered(`counter that has expired: ${kind}`)
    }
  }
}

const run = async (scenario: Scenario): Promise<void> => {
  const { loop, recorder, network, maxTtl } = scenario
  const { random } = loop
  const { kind, jumps, servers, fenceTtl, life } = clocksOf.get(scenario)!
  if (maxTtl > fenceTtl) recorder.covered('locks that outlive their fenceTtl')
  for (const name of ['a', 'b', 'c', 'd'].slice(0, random.whole(2, 4))) {
    await runClients(scenario, name)
    coverExpiry(scenario, kind)
    if (jumps) jumpClocks(scenario, servers)
    // The gap often ends exactly when counters expire, and sometimes well before.
    const gap = random.pick([life, life, life + maxTtl, 0.9 * life, random.unit() * life])
    await loop.runUntil(loop.now() + gap + random.pick([0, 1, 100, 5_000]))
    coverExpiry(scenario, kind)
  }
  network.heal()
  // If a clock was set back, keys expire later.
  await loop.runUntil(loop.now() + 20_000 + 6 * maxTtl + (jumps ? fenceTtl : 0))
}

export const expiry: HistoryKind = { draw, run }
