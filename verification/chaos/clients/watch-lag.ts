/** Measures how late the timers of this process are. While timers are late, nodes need not be the cause of a delay. */
export type LagWatch = {
  /** Returns the maximum lag since the previous call of this function, in ms. */
  readonly take: () => number
  readonly stop: () => void
}

const period = 20

/** Watches the timers, on any runtime. */
export const watchLag = (): LagWatch => {
  let last = Date.now()
  let max = 0
  const look = (): void => {
    max = Math.max(max, Date.now() - last - period)
    last = Date.now()
  }
  const timer = setInterval(look, period)
  return {
    take: () => {
      // Include the current timer, which may be late but has not fired yet.
      const late = Math.max(max, Date.now() - last - period)
      max = 0
      return late
    },
    stop: () => clearInterval(timer),
  }
}
