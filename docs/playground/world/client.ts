import {
  isLockedError,
  isLockLostError,
  isQuorumError,
  type Lock,
  type LockEvent,
  Redlock,
  withSlots,
  withWakeUp,
} from '../../../src/index.ts'
import { claim, type Claim, type Completion, recordClient } from '../../../src/records/claim.ts'
import { randomFrom } from '../../../tools/random.ts'
import type { EventLoop } from '../../../verification/simulation/engine/event-loop.ts'
import {
  epoch,
  type Process,
  startProcess,
} from '../../../verification/simulation/engine/process.ts'
import type { Network } from './network.ts'
import type { Recorder } from './recorder.ts'
import type { Hold, Phase } from './recording.ts'
import { answerBy, answerOf, secretOf } from './secrets.ts'
import { lockedKey } from './servers.ts'
import { isWaking, type Settings, slotsOf } from './settings.ts'
import type { Store } from './store.ts'

/** A click: one request, on a process of its own, that works under the lock and then writes. */
export type Client = {
  readonly process: Process
  readonly click: () => Promise<void>
  /** Pauses the process. Returns whether there was anything to pause. */
  readonly pause: (time: number) => boolean
}

const pausable: ReadonlySet<Phase> = new Set([
  'asking',
  'waiting',
  'working',
  'writing',
  'releasing',
  'recording',
])

/** The slot that a key names, from 0 on. */
const slotIn = (key: string): number => Number(/#(\d+)$/.exec(key)?.[1] ?? 1) - 1

// The payload of the request, which is the same for all.
const fingerprint = 'payload'

// Ms for which a claim is extended, and for which an answer is recorded.
const longestHold = 600_000
const recordTtl = 86_400_000

/** The parts of the world that a client needs. */
export type World = {
  readonly loop: EventLoop
  readonly network: Network
  readonly store: Store
  readonly recorder: Recorder
  readonly settings: Settings
}

export const makeClient = (world: World, client: number): Client => {
  const { network, store, recorder, settings } = world
  const random = randomFrom(settings.seed * 10_000 + client * 10 + 9)
  // Its wall clock is that of the world, whose first moment is 0.
  const clocks = { rate: 1, skew: -epoch }
  const process = startProcess({ ...world.loop, random }, `client ${client + 1}`, clocks)
  const { wait, ttl, work, strategy } = settings
  let attempt = 0
  let hold: Hold | undefined
  let lock: Lock | undefined

  const onEvent = (event: LockEvent): void => {
    recorder.fact({ type: 'event', client, event })
    if (event.type === 'waiting') recorder.phase(client, 'waiting')
    if (event.type === 'rejected') {
      recorder.phase(client, event.reason === 'locked' ? 'refused' : 'unavailable')
    }
    if (event.type === 'extended' && hold) hold.to = recorder.now() + event.expiresIn
  }
  const plain = new Redlock({
    nodes: network.nodesOf(process, client),
    advanced: {
      clock: process.clock,
      random: random.unit,
      value: () => secretOf(client, ++attempt),
    },

    ttl,
    strategy,
    onEvent,
  })

  const limit = slotsOf(settings)
  const redlock = isWaking(settings) ? withWakeUp(plain) : limit > 1 ? withSlots(plain) : plain
  const options = limit > 1 ? { wait, limit } : { wait }
  const records = recordClient(plain.client())

  /** Works under the lock, and asks whether it still holds it in the middle. Returns how that ended. */
  const workAndWrite = async (held: Lock): Promise<Phase> => {
    const token = await held.fencingToken()
    recorder.fact({ type: 'token', client, token })
    await process.sleep(work / 2)
    recorder.fact({ type: 'checked', client, isHeld: held.held, expiresIn: held.expiresIn })
    if (!held.held) return 'stopped'
    await process.sleep(work / 2)
    recorder.phase(client, 'writing')
    return (await store.write(process, client, held.keys[0]!, token)) ? 'done' : 'stale'
  }

  const holdLock = async (held: Lock): Promise<Phase> => {
    lock = held
    const current = recorder.holds(client, slotIn(held.keys[0]!), held.expiresIn)
    hold = current
    recorder.phase(client, 'working')
    try {
      return await workAndWrite(held)
    } catch (error) {
      // Too few nodes agree on a token, or the lock has expired meanwhile.
      if (!isLockLostError(error) && !isQuorumError(error)) throw error
      recorder.fact({ type: 'tokenless', client })
      return 'stopped'
    } finally {
      recorder.phase(client, 'releasing')
      current.to = Math.min(current.to, recorder.now())
    }
  }

  const useLock = async (): Promise<void> => {
    try {
      recorder.phase(client, await redlock.using(lockedKey, options, holdLock))
    } catch (error) {
      // The refusal has been recorded as an event.
      if (!isLockedError(error) && !isQuorumError(error)) throw error
    }
  }

  /** Processes the request under its claim, and gets the answer recorded. */
  const processRequest = async (own: Claim): Promise<Completion | undefined> => {
    own.lock.keepAlive({ maxHold: longestHold, maxExtensions: Infinity })
    const phase = await holdLock(own.lock)
    if (phase !== 'done') {
      await own.release()
      recorder.phase(client, phase)
      return undefined
    }
    recorder.phase(client, 'recording')
    return own.complete({ fingerprint, content: answerBy(client), ttl: recordTtl })
  }

  /** Sends the request, as `idempotent()` does: it is processed, or gets the answer of another. */
  const sendRequest = async (): Promise<void> => {
    const request = { client: records, key: lockedKey, fingerprint, ttl, waitUntil: undefined }
    const claimed = await claim(request, { wait })
    const result = claimed.state === 'claimed' ? await processRequest(claimed.claim) : claimed
    if (result?.state === 'recorded') {
      const by = answerOf(` ${result.record.content}`)
      recorder.fact({ type: 'answered', client, by })
      recorder.phase(client, by === client ? 'answered' : 'replayed')
    } else if (result) recorder.phase(client, result.state === 'held' ? 'refused' : 'unavailable')
  }

  return {
    process,
    click: async () => {
      recorder.fact({ type: 'clicked', client })
      recorder.phase(client, 'asking')
      await (settings.kind === 'lock' ? useLock() : sendRequest())
    },
    pause: (time) => {
      const before = recorder.phaseOf(client)
      if (!before || !pausable.has(before)) return false
      process.pause(time, true)
      recorder.phase(client, 'paused')
      world.loop.after(time, () => {
        recorder.fact({ type: 'woke', client, isHeld: lock?.held ?? false })
        recorder.phase(client, before)
      })
      return true
    },
  }
}
