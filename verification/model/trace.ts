/** Extracts the lines that the model prints from the output of a replay. */
export const readTrace = (output: string): string[] =>
  output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2))

/** Counts the steps of a trace: requests that take effect, expiries and restarts. */
export const lengthOf = (trace: readonly string[]): number =>
  trace.filter((line) => !/ begins with F=| confirms? /.test(line)).length
