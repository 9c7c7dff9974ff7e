import { execa } from 'execa'

/** A program and its arguments. */
export type CommandLine = readonly [program: string, ...args: string[]]

/**
 * Runs a command line with the standard input and output of this process, and returns the exit code. Programs in
 * node_modules take precedence.
 */
export const exitCodeOf = async ([program, ...args]: CommandLine): Promise<number> => {
  const child = execa(program, args, { preferLocal: true, reject: false, stdio: 'inherit' })
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal)
  // Ignore Ctrl-C and wait: the program receives it, too, and stops everything that it has started.
  const wait = (): void => {}
  process.on('SIGTERM', pass).on('SIGINT', wait)
  const { exitCode, code, shortMessage } = await child
  process.off('SIGTERM', pass).off('SIGINT', wait)
  if (code === 'ENOENT') console.error(shortMessage)
  return exitCode ?? 1
}
