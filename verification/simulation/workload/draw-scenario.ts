import { lockScript } from '../../../src/protocol/lock-script.ts'
import { randomFrom } from '../../../tools/random.ts'
import { makeRecorder } from '../checks/recorder.ts'
import { secret } from '../checks/secret-check.ts'
import { makeEventLoop } from '../engine/event-loop.ts'
import { makeNetwork } from '../engine/network.ts'
import { drawClockRate } from '../engine/process.ts'
import { type Server, startServer } from '../engine/server.ts'
import { makeTrace } from '../engine/trace.ts'
import { drawFaultRates } from './fault-rates.ts'
import type { Scenario } from './scenario.ts'

const token = `node-${secret}`

/** Draws the servers of a history, their faults and the options of the clients. */
export const drawScenario = (seed: number, isTraced: boolean): Scenario => {
  const random = randomFrom(seed)
  const loop = makeEventLoop(random, makeTrace(isTraced))
  const rates = drawFaultRates(random)
  const count = rates.duplicateNode ? 2 : random.pick([3, 3, 3, 3, 3, 3, 3, 5, 4, 2])
  const driftFactor = random.pick([0.01, 0.05, 0.2])
  // With nodes that are far away, a lock must live for several round trips.
  const isFar = rates.distance > 10
  const ttl = random.whole(isFar ? 250 : 30, 400)
  const maxTtl = Math.round(ttl * random.pick([1, 1, 2]))
  const urls = Array.from({ length: count }, (_, index) => `https://n${index + 1}.example`)
  if (rates.duplicateNode) urls.push('https://twin.example')
  const quorum = (urls.length >> 1) + 1
  const recorder = makeRecorder(loop, quorum)
  const servers = urls.slice(0, count).map((_, index): Server => {
    const clock = {
      rate: drawClockRate(random, rates, driftFactor),
      skew: random.between(-0.5, 0.5) * Math.min(rates.skew, 900),
    }
    return startServer(loop, `n${index + 1}`, token, clock, recorder, rates.rollbacks > 0)
  })
  const serverOf = new Map(urls.map((url, index) => [url, servers[index] ?? servers[0]!]))
  const network = makeNetwork(loop, rates, serverOf, 3 * maxTtl, recorder)
  let values = 0
  return {
    loop,
    rates,
    network,
    recorder,
    servers,
    urls,
    token,
    quorum,
    keys: random.chance(0.6) ? ['k1'] : ['k1', 'k2'],
    maxTtl,
    options: {
      ttl,
      driftFactor,
      nodeTimeout: isFar ? undefined : random.pick([undefined, undefined, 15, 40, 120]),
      retry: { attempts: random.whole(1, 4), minDelay: 1, maxDelay: random.whole(5, 80) },
      singleFlight: random.chance(0.5),
    },
    abandoned: new Set(),
    handedOver: new Set(),
    makeValue: () => `${(++values).toString(36).padStart(8, '0')}-${secret}`,
    clients: [],
    checksForSecrets: random.chance(0.1),
  }
}

/** Makes the servers look as if they had been in use: not quarantined, and with the script cached. */
export const prepareServers = ({ servers, rates, token }: Scenario): void => {
  for (const { handle, entries } of servers) {
    if (rates.volatile) entries.set('lock:run', { value: 'run_id:1 0', expiresAt: Infinity })
    if (rates.flushes > 0) continue
    const words = ['EVAL', lockScript.source, '2', 'lock:l:-', 'lock:x:-', 'i', '-', '1', '1', '0']
    handle({ method: 'POST', authorization: `Bearer ${token}`, words })
  }
}
