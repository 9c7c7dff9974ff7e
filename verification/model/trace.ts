/** The lines of the model's own among those that a replay prints. */
export const readTrace = (output: string): string[] =>
  output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2))

/** How many things happen in a trace: requests that take effect, expiries, restarts. */
export const lengthOf = (trace: readonly string[]): number =>
  trace.filter((line) => !/ begins with F=| confirm /.test(line.replace('confirms', 'confirm')))
    .length
