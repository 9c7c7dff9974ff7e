import { type Clock, onAbort, sleep } from '../../util/clock.ts'
import { checkDelay } from '../../util/validate.ts'

/** The faults that a test can cause in a node in memory. Each replaces the previous one. */
export type NodeControls = {
  /**
   * From now on, each request fails immediately with `error`, like a request to a server that is down. Hanging requests
   * fail, too. Default: an error with the message "The node is down".
   */
  readonly fail: (error?: Error) => void
  /**
   * From now on, no request is answered until the node recovers. A request whose signal aborts by then never arrives.
   */
  readonly hang: () => void
  /** From now on, each request takes `time` ms to the node, unless its signal aborts before. */
  readonly delay: (time: number) => void
  /** Ends the fault. Hanging requests arrive now. */
  readonly recover: () => void
}

type Trouble =
  | { readonly kind: 'none' | 'hang' }
  | { readonly kind: 'fail'; readonly error: Error }
  | { readonly kind: 'delay'; readonly time: number }

/** The controls of one node, and their effect on its requests. */
export type NodeGate = NodeControls & {
  /** Whether requests arrive immediately. */
  readonly isOpen: () => boolean
  /**
   * Resolves when the request arrives.
   *
   * @throws the error of a node that fails, or the signal's reason.
   */
  readonly arrive: (signal: AbortSignal | undefined) => Promise<void>
}

/** The gate of a node, initially open. Delays are timers of `clock`. */
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
