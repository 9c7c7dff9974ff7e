let count = 0

/** Counts unhandled errors of this process, which no longer end it. */
export const countUnhandled = (): void => {
  process.on('unhandledRejection', () => count++)
  process.on('uncaughtException', () => count++)
}

/** How many unhandled errors there have been. */
export const unhandled = (): number => count
