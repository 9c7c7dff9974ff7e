/** A log of a history, one line per event, for a human reader. It costs nothing while it is off. */
export type Trace = {
  readonly isOn: boolean
  readonly lines: readonly string[]
  /** Sets the simulated time of the lines that follow. */
  readonly at: (now: number) => void
  /** Adds a line. The function is called only if the trace is on. */
  readonly say: (line: () => string) => void
}

export const makeTrace = (isOn: boolean): Trace => {
  const lines: string[] = []
  let time = 0
  return {
    isOn,
    lines,
    at: (now) => {
      time = now
    },
    say: (line) => {
      if (isOn) lines.push(`${time.toFixed(1).padStart(10)}  ${line()}`)
    },
  }
}
