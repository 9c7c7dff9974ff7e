let count = 0

/** Counts what nobody handles in this process instead of letting it end the process. */
export const countUnhandled = (): void => {
  process.on('unhandledRejection', () => count++)
  process.on('uncaughtException', () => count++)
}

/** How many there have been. */
export const unhandled = (): number => count
