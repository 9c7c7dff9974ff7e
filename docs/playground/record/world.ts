import { Redlock, type RedlockOptions } from '../../../src/index.ts'
import { lockScript } from '../../../src/redis/scripts/lock-script.ts'
import { recordScript } from '../../../src/redis/scripts/record-script.ts'
import { slotScript } from '../../../src/redis/scripts/slot-script.ts'
import { waitScript } from '../../../src/redis/scripts/wait-script.ts'
import { wakingReleaseScript } from '../../../src/redis/scripts/waking-release-script.ts'
import { withSecrets } from '../../../tools/with-secrets.ts'
import { type Random, randomFrom } from '../../../tools/random.ts'
import { makeRecorder } from '../../../verification/simulation/checks/recorder.ts'
import { makeEventLoop } from '../../../verification/simulation/engine/event-loop.ts'
import type { Distance } from '../../../verification/simulation/engine/distance.ts'
import type { Sickness } from '../../../verification/simulation/engine/health.ts'
import { makeNetwork } from '../../../verification/simulation/engine/network.ts'
import {
  epoch,
  type Process,
  startProcess,
} from '../../../verification/simulation/engine/process.ts'
import { startServer } from '../../../verification/simulation/engine/server.ts'
import { makeTrace } from '../../../verification/simulation/engine/trace.ts'
import { calm } from '../../../verification/simulation/workload/fault-rates.ts'
import { makeNotes } from './notes.ts'
import { isOfRedlock, runRedlock } from './redlock-scripts.ts'

export const token = 'token'
const clocks = { rate: 1, skew: 0 }
// Ms of one way between a client and a node.
const [nearest, farthest] = [6, 16]

/** All scripts that clients send. */
const scripts = [lockScript, slotScript, recordScript, waitScript, wakingReleaseScript]

/** The servers and the network of the simulation, without faults, and a recorder beside them. */
export const makeWorld = (seed: number, count: number) => {
  const random = randomFrom(seed)
  const loop = makeEventLoop(random, makeTrace(false))
  const checks = makeRecorder(loop, (count >> 1) + 1, true)
  const notes = makeNotes(loop.now)
  /** The script that a node executes: what the node sends meanwhile is no answer. */
  let script: string | undefined
  /** Ms that the last message takes, if it has left. */
  let way: number | undefined
  /** The number of `c1` or `n1`, from 0 on. */
  const numberOf = (name: string): number => Number(name.slice(1)) - 1

  const routes = new Map(
    Array.from({ length: count }, (_, node) => {
      const server = startServer(loop, `n${node + 1}`, token, clocks, checks, false)
      // As if the servers had been in use.
      scripts.forEach(server.load)
      const handle: typeof server.handle = (request) => {
        script = request.words[1]
        const reply = isOfRedlock(request.words)
          ? runRedlock(server, request.words)
          : server.handle(request)
        script = undefined
        notes.executed(node, request.words, reply.body)
        notes.look(node, server.entries, epoch)
        return reply
      }
      return [`https://n${node + 1}.example`, { ...server, handle }] as const
    }),
  )
  /** The random numbers of each link, so that the order of messages on others changes none of them. */
  const links = new Map<string, Random>()
  const draw: Distance['draw'] = (_message, client, server) => {
    const link = `${client}>${server}`
    const own = links.get(link) ?? random.fork(link)
    links.set(link, own)
    const time = own.between(nearest, farthest)
    if (script === undefined) way = time
    else notes.pushed(numberOf(server), numberOf(client), time, script)
    return time
  }
  const distance = { draw, max: () => farthest }
  const settings = { rates: calm, distance, maxDelay: farthest, isCold: false }
  const network = makeNetwork(loop, settings, routes, checks)

  /** The `fetch` of a client, which notes each request and its answer. */
  const fetchOf = (process: Process): typeof fetch => {
    const ask = network.fetchOf(process)
    return async (input, init) => {
      way = undefined
      const asked = ask(input, init)
      const node = numberOf(new URL(input as string).hostname.split('.')[0]!)
      const note = notes.sent(numberOf(process.name), node, init!.body as string | undefined, way)
      try {
        const response = await asked
        notes.answered(note)
        return response
      } catch (error) {
        if (!init!.signal!.aborted) notes.failed(note)
        throw error
      }
    }
  }

  let started = 0
  /** Starts a process, whose `fetch` is recorded. */
  const begin = () => {
    const client = started++
    const process = startProcess(loop, `c${client + 1}`, clocks)
    checks.beginCall(process.name)
    return { client, process, fetch: fetchOf(process) }
  }
  return {
    loop,
    notes,
    store: count,
    urls: [...routes.keys()],
    begin,
    /** Makes a node sick for the whole scene. */
    strike: (node: number, sickness: Sickness, label: string): void => {
      network.health.strike(`n${node + 1}`, sickness)
      notes.sick(node, label)
    },
    /** What the simulation has found wrong: nothing, unless the library is broken. */
    violations: checks.violations,
    /** Starts a process with a client of its own. */
    startClient: (options: Partial<RedlockOptions>) => {
      const { client, process, fetch } = begin()
      let tries = 0
      // The beginning of a value is public, and tells the recorder whose it is.
      const value = (): string =>
        `c${client}x${`${tries++}`.padStart(5, '0')}-of-the-recorded-client`
      const redlock = new Redlock({
        ...options,
        nodes: [...routes.keys()].map((url) => ({ url, token, fetch })),
        advanced: { clock: process.clock, random: process.random.unit },
        onEvent: (event) => notes.event(client, event),
      })
      return { client, process, redlock: withSecrets(redlock, value) }
    },
  }
}

export type World = ReturnType<typeof makeWorld>
export type VirtualClient = ReturnType<World['startClient']>
