import { type Clock, onAbort, sleep } from '../../util/clock.ts'
import { checkDelay } from '../../util/validate.ts'

/** The faults that a test can cause in a memory node. Each fault replaces the previous one. */
export type NodeControls = {
  /**
   * Makes each request fail immediately with `error`, like a request to a server that is down. Requests that are
   * already hanging also fail. Default: an error with the message "The node is down".
   */
  readonly fail: (error?: Error) => void
  /** Makes all requests hang until the node recovers. A request whose signal aborts before that never arrives. */
  readonly hang: () => void
  /** Makes each request take `time` ms to reach the node. A request whose signal aborts before that never arrives. */
  readonly delay: (time: number) => void
  /** Ends the fault. Hanging requests then arrive. */
  readonly recover: () => void
}

type Trouble =
  | { readonly kind: 'none' | 'hang' }
  | { readonly kind: 'fail'; readonly error: Error }
  | { readonly kind: 'delay'; readonly time: number }

/** The controls of one node, and their effect on requests. */
export type NodeGate = NodeControls & {
  /** Whether requests arrive immediately. */
  readonly isOpen: () => boolean
  /**
   * Resolves when the request arrives.
   *
   * @throws the error that was passed to `fail`, or the signal's reason.
   */
  readonly arrive: (signal: AbortSignal | undefined) => Promise<void>
}

/** Creates the gate of a node, which is open at first. Delays use the timers of `clock`. */
export const nodeGate = (clock: Clock): NodeGate => {
  let trouble: Trouble = { kind: 'none' }
  const hanging = new Set<() => void>()

  const change = (next: Trouble): void => {
    trouble = next
    for (const goOn of hanging) goOn()
    hanging.clear()
  }
  const untilChange = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const goOn = (): void => {
        stopListening()
        resolve()
      }
      const stopListening = onAbort(signal, () => {
        hanging.delete(goOn)
        reject(signal?.reason)
      })
      hanging.add(goOn)
    })

  return {
    fail: (error = new Error('The node is down')) => change({ kind: 'fail', error }),
    hang: () => change({ kind: 'hang' }),
    delay: (time) => {
      checkDelay('delay', time)
      change({ kind: 'delay', time })
    },
    recover: () => change({ kind: 'none' }),
    isOpen: () => trouble.kind === 'none',
    arrive: async (signal) => {
      signal?.throwIfAborted()
      while (trouble.kind === 'hang') await untilChange(signal)
      if (trouble.kind === 'fail') throw trouble.error
      if (trouble.kind === 'delay') await sleep(clock, trouble.time, signal)
    },
  }
}
