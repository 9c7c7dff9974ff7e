/** How late the timers of this process are. While they are late, the nodes are not to blame for delays. */
export type LagWatch = {
  /** The maximum since the last call of this function, in ms. */
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
      // A timer that is late has not fired yet.
      const late = Math.max(max, Date.now() - last - period)
      max = 0
      return late
    },
    stop: () => clearInterval(timer),
  }
}
