/** Prints the message of an error without its stack, and sets the exit code to 1. */
export const reportFailure = (error: unknown): void => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
