import { checkFence, type Guard, StaleTokenError } from './guard.ts'

/**
 * A fencing guard for what lives in one process only: a Durable Object, a single server, a test. It
 * forgets with the process, and keeps every resource it has seen.
 *
 * @example
 * ```ts
 * const guard = memoryGuard()
 * await guard.advance('report:7', await lock.fence())
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
