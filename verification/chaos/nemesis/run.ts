import { type HistoryEvent, now } from '../campaign/history.ts'
import type { Fault } from './fault.ts'
import { begin, end, whenHolding, type World } from './inject.ts'

// Does what is in the schedule, each fault at its time, and writes it down. What cannot be done is
// an error, and ends the campaign: no fault is left out in silence.

// How long a client may take to hold a lock, before it is hit without one.
const patience = 2000

// Ms from the moment that it holds the lock until it has mostly given it back.
const longestWork = 40

const pause = (ms: number, stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (stop.aborted || ms <= 0) {
      resolve()
      return
    }
    const done = (): void => {
      clearTimeout(timer)
      stop.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    stop.addEventListener('abort', done)
  })

/** Resolves when all is healed that was begun: at the end of the time, or when told to stop. */
export const runNemesis = async (options: {
  readonly world: World
  readonly faults: readonly Fault[]
  readonly duration: number
  readonly write: (event: HistoryEvent) => void
  readonly stop: AbortSignal
}): Promise<void> => {
  const { world, faults, duration, write } = options
  // One that fails ends the others.
  const failure = new AbortController()
  const stop = AbortSignal.any([options.stop, failure.signal])
  const start = performance.now()
  const at = (time: number): Promise<void> => pause(start + time - performance.now(), stop)

  const run = async (fault: Fault, before: readonly unknown[]): Promise<void> => {
    await at(fault.from)
    await Promise.all(before)
    if (stop.aborted) return
    const isOnClient = fault.kind.startsWith('client')
    if (isOnClient) await world.clients.ready(fault.processes[0]!)
    const isHolding = isOnClient && (await whenHolding(world, fault, patience))
    if (isOnClient) await pause(fault.amount * longestWork, stop)
    const pid = isOnClient && world.clients.get(fault.processes[0]!).pid
    // Before a node is hit it is well, and after it is hit its client is dead.
    if (!isOnClient) write({ type: 'fault', at: now(), fault })
    await begin(world, fault)
    if (isOnClient) write({ type: 'fault', at: now(), fault, isHolding, pid: pid || 0 })
    // A client is hit when it holds a lock: from then on it sleeps for as long as was drawn.
    await (isOnClient ? pause(fault.until - fault.from, stop) : at(fault.until))
    await end(world, fault)
    write({ type: 'healed', at: now(), fault })
  }

  // On a busy machine one may be late to be well again: the next that hits the same waits for that.
  const last = new Map<number | string, Promise<unknown>>()
  const runs = faults.map((fault) => {
    const hit = fault.nodes.length > 0 ? fault.nodes : fault.processes
    const before = hit.map((one) => last.get(one))
    const done = run(fault, before).catch((error: unknown) => {
      failure.abort()
      throw new Error(`Fault ${fault.id}, ${fault.kind}: ${String(error)}`, { cause: error })
    })
    const over = done.catch(() => {})
    for (const one of hit) last.set(one, over)
    return done
  })
  const ends = await Promise.allSettled([...runs, at(duration)])
  const failed = ends.find((one) => one.status === 'rejected')
  // Whoever stops the campaign may have ended what was to be healed.
  if (failed && !options.stop.aborted) throw failed.reason
}
