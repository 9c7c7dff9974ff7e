import { lockScript } from '../../../src/redis/scripts/lock-script.ts'
import { volatileScript } from '../../../src/redis/quarantine/volatile-script.ts'
import { type Pace, usualPace } from '../../../src/core/process/pace.ts'
import { makeRecorder } from '../checks/recorder.ts'
import { secret } from '../checks/secret-check.ts'
import type { Distance } from '../engine/distance.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import { makeNetwork } from '../engine/network.ts'
import { drawClockRate } from '../engine/process.ts'
import { type Server, type ServerClock, startServer } from '../engine/server.ts'
import { drawPace } from './draw-pace.ts'
import type { FaultRates } from './fault-rates.ts'
import type { Scenario } from './scenario.ts'

/** The choices that are drawn before a history begins. */
export type Settings = Pick<
  Scenario,
  'keys' | 'maxTtl' | 'options' | 'checksForSecrets' | 'stalls'
> & {
  readonly rates: FaultRates
  /** The number of servers. */
  readonly count: number
  readonly distance: Distance
  /** The offset of each server's clock, and whether the server forbids TIME. Default: by `rates`. */
  readonly clockOf?: (index: number) => Omit<ServerClock, 'rate'>
  /** Whether processes start without open connections. Default: no. */
  readonly isCold?: boolean
  /** Default: drawn. */
  readonly pace?: Pace
}

const inLetters = (number: number, length: number): string =>
  number.toString(36).padStart(length, '0')

const token = `node-${secret}`

/** Starts the servers of a history and the network to them. */
export const buildScenario = (
  loop: EventLoop,
  {
    rates,
    count,
    distance,
    clockOf,
    isCold = false,
    pace = drawPace(loop.random),
    ...shared
  }: Settings,
): Scenario => {
  const { random } = loop
  const urls = Array.from({ length: count }, (_, index) => `https://n${index + 1}.example`)
  if (rates.duplicateNode) urls.push('https://twin.example')
  const quorum = (urls.length >> 1) + 1
  const recorder = makeRecorder(loop, quorum, pace === usualPace)
  const servers = urls.slice(0, count).map((_, index): Server => {
    const clock = {
      rate: drawClockRate(random, rates, shared.options.driftFactor),
      ...(clockOf?.(index) ?? { skew: random.between(-0.5, 0.5) * Math.min(rates.skew, 900) }),
    }
    return startServer(loop, `n${index + 1}`, token, clock, recorder, rates.rollbacks > 0)
  })
  const serverOf = new Map(urls.map((url, index) => [url, servers[index] ?? servers[0]!]))
  const settings = { rates, distance, maxDelay: 3 * shared.maxTtl, isCold }
  let processes = 0
  return {
    ...shared,
    loop,
    rates,
    network: makeNetwork(loop, settings, serverOf, recorder),
    distance,
    recorder,
    servers,
    urls,
    token,
    quorum,
    pace,
    abandoned: new Set(),
    handedOver: new Set(),
    valuesOfProcess: () => {
      const process = inLetters(++processes, 4)
      let values = 0
      return () => `${process}${inLetters(++values, 4)}-${secret}`
    },
    clients: [],
  }
}

/** Puts the servers into the state of servers in use: not quarantined, and with the script cached. */
export const prepareServers = ({ servers, rates, token }: Scenario): void => {
  for (const { handle, entries, load } of servers) {
    const record = { value: 'run_id:1 0 master_replid:0', expiresAt: Infinity }
    if (rates.volatile) entries.set('lock:run', record)
    if (rates.flushes > 0) continue
    if (rates.volatile) load(volatileScript(lockScript)!)
    const words = ['EVAL', lockScript.source, '2', 'lock:l:-', 'lock:x:-', 'i', '-', '1', '0', '0']
    handle({ method: 'POST', authorization: `Bearer ${token}`, words })
  }
}
