/** Prints why a command failed, as a message without a stack, and makes it exit with 1. */
export const reportFailure = (error: unknown): void => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
