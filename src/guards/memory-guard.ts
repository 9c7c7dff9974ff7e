import { checkFence, type Guard, StaleTokenError } from './guard.ts'

/**
 * A fencing guard for data that only one process writes, such as a Durable Object, a single server or a test. The
 * tokens are kept in memory, one per resource, and are lost when the process ends.
 *
 * @returns a guard whose `StaleTokenError` reports the highest token.
 * @example
 * ```ts
 * const guard = memoryGuard()
 * await guard.advance('report:7', await lock.fencingToken())
 * ```
 */
export const memoryGuard = (): Guard => {
  const tokens = new Map<string, number>()
  return {
    advance: async (resource, token) => {
      checkFence(resource, token)
      const highest = tokens.get(resource)
      if (highest !== undefined && token < highest) {
        throw new StaleTokenError(resource, token, highest)
      }
      tokens.set(resource, token)
    },
  }
}
