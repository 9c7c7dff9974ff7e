/** Tells why a command failed, in words rather than by a stack, and makes it exit with 1. */
export const reportFailure = (error: unknown): void => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
