import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type HistoryEvent, now } from './history.ts'

/** Notes each second how late timers are here. On a machine that is too busy, figures mean less. */
export const watchMachine = (
  write: (event: HistoryEvent) => void,
): { readonly end: () => void } => {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const timer = setInterval(() => {
    write({ type: 'machine', at: now(), late: Math.max(0, Math.round(delay.max / 1e6 - 10)) })
    delay.reset()
  }, 1000)
  return {
    end: () => {
      clearInterval(timer)
      delay.disable()
    },
  }
}
