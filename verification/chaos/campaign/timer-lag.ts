import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { HistoryEvent } from './events.ts'
import { now } from './history.ts'

const resolution = 10

/** Records every second how late timers are. On a busy machine, measured times are less meaningful. */
export const watchTimerLag = (
  write: (event: HistoryEvent) => void,
): { readonly end: () => void } => {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  const timer = setInterval(() => {
    const late = Math.max(0, Math.round(delay.max / 1e6 - resolution))
    write({ type: 'timer lag', at: now(), late })
    delay.reset()
  }, 1000)
  return {
    end: () => {
      clearInterval(timer)
      delay.disable()
    },
  }
}
