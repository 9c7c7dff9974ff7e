import { lockScript } from '../../src/protocol/lock-script.ts'
import { randomFrom } from '../../tools/random.ts'
import { checkHistory } from './checks/history-checks.ts'
import { makeRecorder, type Violation } from './checks/recorder.ts'
import { checkLeftovers, checkService } from './checks/recovery-checks.ts'
import { makeWorld } from './engine/event-loop.ts'
import { makeNetwork } from './engine/network.ts'
import { drawRate, epoch } from './engine/process.ts'
import { type Server, startServer } from './engine/server.ts'
import { makeTrace } from './engine/trace.ts'
import { checkBurst } from './workload/burst-check.ts'
import { call, callAsWorker } from './workload/calls.ts'
import { comeAtTheEnd, holdToTheEnd } from './workload/expiry-race.ts'
import { drawWeather } from './workload/fault-rates.ts'
import { breakLoose } from './workload/random-faults.ts'
import { type Actor, type Scene, secret, startActor } from './workload/simulated-client.ts'

/** What came of a history. */
export type Outcome = {
  readonly seed: number
  readonly weather: string
  readonly violations: readonly Violation[]
  readonly coverage: ReadonlyMap<string, number>
  readonly lines: readonly string[]
}

const token = `node-${secret}`

/** Draws a scene: how many servers and clients there are, what they want, and what will go wrong. */
const drawScene = (seed: number, isTraced: boolean): Scene => {
  const random = randomFrom(seed)
  const trace = makeTrace(isTraced)
  const world = makeWorld(random, trace)
  const weather = drawWeather(random)
  const count = weather.twins ? 2 : random.pick([3, 3, 3, 3, 3, 3, 3, 5, 4, 2])
  const driftFactor = random.pick([0.01, 0.05, 0.2])
  // Far servers need more time: a lock must live for some round trips.
  const isFar = weather.distance > 10
  const ttl = random.whole(isFar ? 250 : 30, 400)
  const longest = Math.round(ttl * random.pick([1, 1, 2]))
  const urls = Array.from({ length: count }, (_, index) => `https://n${index + 1}.example`)
  if (weather.twins) urls.push('https://twin.example')
  const quorum = (urls.length >> 1) + 1
  const recorder = makeRecorder(world, () => quorum)
  const servers = urls.slice(0, count).map((_, index): Server => {
    const clock = {
      rate: drawRate(world, weather, driftFactor),
      skew: random.between(-0.5, 0.5) * Math.min(weather.skew, 900),
    }
    return startServer(world, `n${index + 1}`, token, clock, recorder, weather.rollbacks > 0)
  })
  const ways = new Map(urls.map((url, index) => [url, servers[index] ?? servers[0]!]))
  const network = makeNetwork(world, weather, ways, 3 * longest, recorder)
  let values = 0
  return {
    world,
    weather,
    network,
    recorder,
    servers,
    urls,
    token,
    quorum,
    keys: random.chance(0.6) ? ['k1'] : ['k1', 'k2'],
    longest,
    options: {
      ttl,
      driftFactor,
      nodeTimeout: isFar ? undefined : random.pick([undefined, undefined, 15, 40, 120]),
      retry: { attempts: random.whole(1, 4), minDelay: 1, maxDelay: random.whole(5, 80) },
      singleFlight: random.chance(0.5),
    },
    forgotten: new Set(),
    handedOn: new Set(),
    makeValue: () => `${(++values).toString(36).padStart(8, '0')}-${secret}`,
    actors: [],
    looksForSecrets: random.chance(0.1),
  }
}

/** The servers have been in service for a while; where nothing forgets scripts they know theirs. */
const prepare = ({ servers, weather, token }: Scene): void => {
  for (const { handle, entries } of servers) {
    if (weather.volatile) entries.set('lock:run', { value: 'run_id:1 0', expiresAt: Infinity })
    if (weather.flushes > 0) continue
    const words = ['EVAL', lockScript.source, '2', 'lock:l:-', 'lock:x:-', 'i', '-', '1', '1', '0']
    handle({ method: 'POST', authorization: `Bearer ${token}`, words })
  }
}

/** A client: one call after the other, or Workers for one call each. */
const live = async (scene: Scene, actor: Actor, calls: number): Promise<void> => {
  const { random } = scene.world
  const asWorkers = random.chance(0.25)
  for (let turn = 1; turn <= calls; turn++) {
    await actor.process.rest(random.between(0, random.chance(0.5) ? 3 : scene.options.ttl))
    if (asWorkers) await callAsWorker(scene, `${actor.process.name}.${turn}`)
    else await call(scene, actor)
  }
}

/**
 * Runs the history of a seed: the same seed, the same history, to the letter.
 *
 * @returns what was seen, and every promise that was broken.
 */
export const runHistory = async (seed: number, isTraced: boolean = false): Promise<Outcome> => {
  const scene = drawScene(seed, isTraced)
  const { world, weather, recorder, actors, network } = scene
  const { random, trace } = world
  let ids = 0
  // Whatever asks the runtime for an identity gets the same one in every run.
  crypto.randomUUID = () =>
    `${(++ids).toString(16).padStart(8, '0')}-0000-4000-8000-000000000000` as const
  trace.say(
    () =>
      `seed ${seed}: ${weather.name}, ${scene.urls.length} nodes, ttl ${scene.options.ttl} to ${scene.longest} ms, day ${epoch}`,
  )
  prepare(scene)
  for (let index = random.pick([2, 2, 2, 3]); index > 0; index--) {
    actors.push(startActor(scene, `c${actors.length + 1}`))
  }
  if (weather.name === 'calm' && random.chance(0.4)) await checkBurst(scene)
  const isDuel = random.chance(0.15)
  const lives = actors.map((actor, index) => {
    const duel = isDuel ? [holdToTheEnd, comeAtTheEnd][index] : undefined
    const life = duel ? duel(scene, actor) : live(scene, actor, random.pick([1, 1, 1, 2]))
    return { actor, done: false, life }
  })
  for (const one of lives) void one.life.then(() => (one.done = true))
  const horizon = world.now() + 6 * scene.options.ttl
  breakLoose(scene, horizon)
  await world.passUntil(horizon)
  trace.say(() => 'all faults heal')
  network.heal()
  const isDone = (): boolean => lives.every(({ actor, done }) => done || !actor.process.isAlive())
  for (let step = 0; step < 50 && !isDone(); step++) {
    await world.passUntil(world.now() + 2 * scene.longest)
  }
  for (const { actor, done } of lives) {
    if (actor.process.isAlive() && !done) {
      recorder.violated('settled', `${actor.process.name} does not come to an end`)
    }
  }
  // Until the last lock has expired, the last request is cancelled, and the last quarantine is over.
  await world.passUntil(
    world.now() + (weather.volatile ? 12_000 : Math.max(2_100, 6 * scene.longest)),
  )
  if (random.chance(weather.volatile ? 0.3 : 0.1)) await checkService(scene)
  checkLeftovers(scene)
  checkHistory(recorder, weather, scene.options.driftFactor)
  return {
    seed,
    weather: weather.name,
    violations: recorder.violations,
    coverage: recorder.coverage,
    lines: trace.lines,
  }
}
