import { type Lock, type LockEvent, Redlock, type RedlockOptions } from '../../../src/index.ts'
import type { Hold, Recorder } from '../checks/recorder.ts'
import type { World } from '../engine/event-loop.ts'
import type { Network } from '../engine/network.ts'
import { drawRate, type Process, startProcess } from '../engine/process.ts'
import type { Server } from '../engine/server.ts'
import { hasHonestClocks, type Weather } from './fault-rates.ts'

/** What all clients of a history have in common. */
export type Scene = {
  readonly world: World
  readonly weather: Weather
  readonly network: Network
  readonly recorder: Recorder
  readonly servers: readonly Server[]
  /** The urls of the nodes; two of them lead to one server where there are twins. */
  readonly urls: readonly string[]
  readonly token: string
  readonly quorum: number
  readonly keys: readonly string[]
  /** The longest ttl and window of all. */
  readonly longest: number
  readonly options: Pick<RedlockOptions, 'ttl' | 'driftFactor' | 'retry' | 'singleFlight'> & {
    readonly driftFactor: number
    readonly ttl: number
    readonly nodeTimeout: number | undefined
  }
  /** Values whose locks nobody gives back. */
  readonly forgotten: Set<string>
  /** Values whose locks are on their way from one process to another. */
  readonly handedOn: Set<string>
  /** Makes a value whose first eight characters are its own, and whose rest is secret. */
  readonly makeValue: () => string
  readonly actors: Actor[]
  /** It takes time, so not every history does. */
  readonly looksForSecrets: boolean
}

/** A process with its client, and what it holds. */
export type Actor = {
  readonly process: Process
  readonly redlock: Redlock
  readonly holding: Map<Hold, Lock>
  /** Work that goes on after a call: to be waited for before the process may end. */
  readonly pending: Promise<unknown>[]
  /** Whether it has left a lock alone, whose timer goes on to the end of its validity. */
  leavesTimers: boolean
}

/** What must appear in no error, event or report. */
export const secret = 'secret-of-the-lock'

export const checkSecrets = (
  { recorder, looksForSecrets }: Scene,
  where: string,
  shown: unknown,
): void => {
  if (!looksForSecrets) return
  const text = `${JSON.stringify(shown)} ${shown instanceof Error ? shown.message : ''}`
  if (text.includes(secret)) recorder.violated('secrets', `${where}: ${text}`)
}

const eventNames: Record<string, string> = { split: 'a split vote', lost: 'a lost lock' }

/** The event with all its payload, the same text whatever the order of its properties. */
const describe = (event: LockEvent): string =>
  JSON.stringify(event, (_key, value: unknown) => {
    if (value instanceof Error) return value.message
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  })

export const startActor = (scene: Scene, name: string): Actor => {
  const { world, weather, network, recorder, urls, token, options, longest } = scene
  const { random } = world
  const process = startProcess(world, name, {
    rate: drawRate(world, weather, options.driftFactor),
    skew: weather.skew * random.between(-0.5, 0.5),
  })
  const holding = new Map<Hold, Lock>()
  const request = network.fetchOf(process)
  const { nodeTimeout, ...rest } = options
  const redlock = new Redlock({
    ...rest,
    ...(nodeTimeout !== undefined && { nodeTimeout }),
    nodes: urls.map((url) => ({ url, token, fetch: request, volatile: weather.volatile })),
    ...(weather.volatile && { maxTtl: longest }),
    strategy: random.pick(['parallel', 'parallel', 'frugal']),
    clock: process.clock,
    random: random.unit,
    value: scene.makeValue,
    onEvent: (event) => {
      world.trace.say(() => `${name} tells ${describe(event)}`)
      if (eventNames[event.type]) recorder.met(eventNames[event.type]!)
      checkSecrets(scene, `event ${event.type}`, event)
      if (event.type === 'extended') recorder.met('an extend')
      for (const [hold, lock] of holding) {
        if (event.type === 'extended' && lock.held) {
          // Wall clocks tell whole milliseconds; one that leaps to and fro ends nothing.
          const isSteady = hasHonestClocks(weather) && weather.processJumps === 0
          if (isSteady && world.now() > hold.until + 2) {
            recorder.violated('validity', `${name} holds again what was over`)
          }
          hold.until = world.now() + lock.expiresIn / process.rate
          world.trace.say(() => `${name} holds on until ${hold.until.toFixed(1)}`)
        } else if (!lock.held) hold.until = Math.min(hold.until, world.now())
      }
    },
  })
  return { process, redlock, holding, pending: [], leavesTimers: false }
}
