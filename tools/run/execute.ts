import { execa } from 'execa'

/** A program and its arguments. */
export type CommandLine = readonly [program: string, ...args: string[]]

/**
 * Runs a command line with the input and output of this process, and returns its exit code. Programs in node_modules
 * take precedence.
 */
export const exitCodeOf = async ([program, ...args]: CommandLine): Promise<number> => {
  const child = execa(program, args, { preferLocal: true, reject: false, stdio: 'inherit' })
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal)
  // Ctrl-C also reaches the program, which stops whatever it has started. This process waits for that.
  const wait = (): void => {}
  process.on('SIGTERM', pass).on('SIGINT', wait)
  const { exitCode, code, shortMessage } = await child
  process.off('SIGTERM', pass).off('SIGINT', wait)
  if (code === 'ENOENT') console.error(shortMessage)
  return exitCode ?? 1
}
