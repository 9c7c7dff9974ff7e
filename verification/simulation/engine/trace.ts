/** What happened, line by line, for a human to read. Off, it costs nothing. */
export type Trace = {
  readonly isOn: boolean
  readonly lines: readonly string[]
  /** Sets the true time of the lines to come. */
  readonly at: (now: number) => void
  /** The line is made only if somebody is to read it. */
  readonly say: (line: () => string) => void
}

export const makeTrace = (isOn: boolean): Trace => {
  const lines: string[] = []
  let stamp = 0
  return {
    isOn,
    lines,
    at: (now) => {
      stamp = now
    },
    say: (line) => {
      if (isOn) lines.push(`${stamp.toFixed(1).padStart(10)}  ${line()}`)
    },
  }
}
