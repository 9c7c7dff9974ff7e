import { vi } from 'vitest'

/**
 * Repeats a check until it passes, for as long as a busy machine may take: the usual second of
 * `vi.waitFor` is too short for that.
 */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 20_000 })
