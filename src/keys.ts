import { expect } from './expect.ts'

/** The namespaces behind the prefix: equal keys of a lock, a throttle and a tombstone never meet. */
export type Namespace = 'l:' | 't:' | 'x:'

/**
 * Joins parts to one key so that different parts never give the same key: `lockKey('a-b', 'c')`
 * and `lockKey('a', 'b-c')` differ, and so do `lockKey('a:b')` and `lockKey('a', 'b')`.
 *
 * @throws {TypeError} when there are no parts, or a part is neither a string nor a finite number,
 * bigint or boolean: a missing user id must not become a lock that all users share.
 * @example
 * ```ts
 * lockKey('submit', userId, assignmentId) // 'submit:42:essay%3A1'
 * ```
 */
export const lockKey = (...parts: readonly (string | number | bigint | boolean)[]): string => {
  expect(parts.length > 0, 'lockKey', 'called with at least one part', parts)
  return parts
    .map((part, index) => {
      const fits = Number.isFinite(part) || /^(string|bigint|boolean)$/.test(typeof part)
      expect(
        fits,
        `part ${index + 1} of lockKey`,
        'a string, finite number, bigint or boolean',
        part,
      )
      return String(part).replace(/[%:]/g, encodeURIComponent)
    })
    .join(':')
}

/** Checks what the caller names as resource(s); returns them sorted and without repetitions. */
export const checkKeys = (key: string | readonly string[]): readonly string[] => {
  const keys: readonly unknown[] = Array.isArray(key) ? key : [key]
  const fits = keys.length > 0 && keys.every((one) => typeof one === 'string' && one)
  expect(fits, 'key', 'a non-empty string, or several', key)
  return [...new Set(keys as string[])].sort()
}
