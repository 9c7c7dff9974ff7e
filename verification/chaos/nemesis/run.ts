import { sleep } from '../../../tools/faults.ts'
import type { HistoryEvent } from '../campaign/events.ts'
import { now } from '../campaign/history.ts'
import type { Fault } from './fault.ts'
import { begin, end, whenHolding, type Targets } from './inject.ts'

// Injects the scheduled faults and records them. If a fault cannot be injected, the campaign fails: no fault is skipped
// silently.

// How long to wait until a client holds a lock, in ms. After that, the process is hit anyway.
const maxHoldWait = 2000

// Most clients release their locks within this time, in ms.
const maxWork = 40

/** Runs the schedule. Resolves when all faults have ended: after the duration, or when stopped. */
export const runNemesis = async (options: {
  readonly targets: Targets
  readonly faults: readonly Fault[]
  readonly duration: number
  readonly write: (event: HistoryEvent) => void
  readonly stop: AbortSignal
}): Promise<void> => {
  const { targets, faults, duration, write } = options
  // If one fault fails, end all others.
  const failure = new AbortController()
  const stop = AbortSignal.any([options.stop, failure.signal])
  const start = performance.now()
  const at = (time: number): Promise<void> => sleep(start + time - performance.now(), stop)

  const run = async (fault: Fault, before: readonly unknown[]): Promise<void> => {
    await at(fault.from)
    await Promise.all(before)
    if (stop.aborted) return
    const isOnClient = fault.kind.startsWith('client')
    if (isOnClient) await targets.clients.ready(fault.processes[0]!)
    const isHolding = isOnClient && (await whenHolding(targets, fault, maxHoldWait))
    if (isOnClient) await sleep(fault.amount * maxWork, stop)
    const pid = isOnClient && targets.clients.get(fault.processes[0]!).pid
    // Record a node's fault before it is injected, because the node can be affected immediately. Record a client's fault
    // afterwards, because the client acts until then.
    if (!isOnClient) write({ type: 'fault', at: now(), fault })
    await begin(targets, fault)
    if (isOnClient) write({ type: 'fault', at: now(), fault, isHolding, pid: pid || 0 })
    // A client is hit later than scheduled, once it holds a lock. The duration of its fault stays the same.
    await (isOnClient ? sleep(fault.until - fault.from, stop) : at(fault.until))
    await end(targets, fault)
    write({ type: 'healed', at: now(), fault })
  }

  // On a busy machine, a fault can end late. The next fault of the same node or process waits until then.
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
  // Ctrl-C also ends the servers, so ending a fault can fail.
  if (failed && !options.stop.aborted) throw failed.reason
}
