import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { ReadableStream } from 'node:stream/web'
import { randomFrom } from '../../../tools/random.ts'
import { startRuntime } from '../../../tools/servers/runtime.ts'
import { workerd } from '../../../tools/servers/workerd.ts'
import type { Step } from '../../history/records.ts'
import { historyWriter, now } from '../campaign/history.ts'
import { runBursts } from './bursts.ts'
import { type ClientProcess, type ClientStart, inTime } from './client-process.ts'
import { makePlans, drawThinkTime } from './plans.ts'
import type { Stamped, WorkerRequest } from './worker.ts'

// A Worker cannot write files, and runs only during requests. So this process sends the Worker one request per
// operation, and records the steps in the responses.

// The times of a Worker are whole ms since 1970. Converted to the monotonic clock of the history, they can be off by
// this many ms.
const resolution = 2

/** The difference between the two clocks, in ms. */
const wallOffset = (): number => {
  const samples = Array.from({ length: 2000 }, () => Date.now() - now())
  return Math.max(...samples)
}

/** Starts a client process on workerd. */
export const startWorkerdClients = async (start: ClientStart): Promise<ClientProcess> => {
  const { name, generation, clients, mayPause, distance, seed, settings } = start
  const runtime = await startRuntime(
    workerd(join(start.directory, 'verification', 'chaos', 'clients', 'worker.ts')),
    { REDLOCK_NODES: '[]' },
  )
  const history = historyWriter(start.history)
  const process = `${name}.${generation}`
  const { pid } = runtime
  history.write({
    type: 'process',
    at: now(),
    process,
    pid,
    runtime: 'workerd',
    resolution,
    isComplete: false,
    roundTrip: 2 * distance,
  })
  const stopping = new AbortController()
  let hasFailed = false
  let onHolding: (() => void) | undefined

  const send = async (request: WorkerRequest): Promise<void> => {
    const response = await runtime.call('/', { method: 'POST', body: JSON.stringify(request) })
    const { op, kind } = request.plan
    const offset = wallOffset()
    const lines = createInterface(Readable.fromWeb(response.body as ReadableStream))
    for await (const line of lines) {
      const { wall, ...step } = JSON.parse(line) as Stamped
      const validUntil = 'validUntil' in step && { validUntil: step.validUntil - offset }
      history.write({ ...(step as Step), ...validUntil, at: wall - offset, process, op })
      const isShared = kind === 'guarded' || kind === 'plain'
      if (step.type === 'acquired' && isShared) onHolding?.()
    }
  }

  /** Runs an operation. If a kill interrupts it, that is not a failure. */
  const operate = async (plan: WorkerRequest['plan']): Promise<void> => {
    await send({ settings, plan }).catch((error: unknown) => {
      if (stopping.signal.aborted) return
      hasFailed = true
      console.error(`${process}: ${String(error)}`)
    })
  }

  const run = async (number: number): Promise<void> => {
    const client = `${process}/${number}`
    const random = randomFrom(seed + number)
    const next = makePlans(client, mayPause, random)
    while (!stopping.signal.aborted) {
      // End the pause immediately after a kill, which waits for this loop.
      await setTimeout(drawThinkTime(random), undefined, { signal: stopping.signal }).catch(
        () => {},
      )
      if (stopping.signal.aborted) return
      await operate(next())
    }
  }

  const running = Promise.all([
    ...Array.from({ length: clients }, (_, number) => run(number)),
    runBursts(process, stopping.signal, operate),
  ])
  const kill = async (): Promise<void> => {
    stopping.abort()
    await runtime.stop()
    await running
    history.close()
  }
  return {
    name,
    pid,
    holding: () => new Promise((resolve) => (onHolding = resolve)),
    pause: () => {
      throw new Error('workerd must not be paused: its clients also write without a guard')
    },
    resume: () => {},
    kill,
    stop: async (limit) => {
      stopping.abort()
      const hasEnded = await inTime(running, limit)
      await kill()
      return hasEnded && !hasFailed
    },
  }
}
