/** A human-readable log of a history, with one line per event. It costs nothing while it is off. */
export type Trace = {
  readonly isOn: boolean
  readonly lines: readonly string[]
  /** Sets the simulated time for the following lines. */
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
