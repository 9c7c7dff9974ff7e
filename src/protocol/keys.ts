import { expect } from '../util/validate.ts'

/**
 * The namespaces behind the prefix, in which equal keys never meet: locks and throttles. Besides
 * them there are `f:`, the fences, and `x:`, the tombstones.
 */
export type Namespace = readonly string[]

/** A lock key, and its fence: a counter, and who acquired it last. */
export const locks: Namespace = ['l:', 'f:']

/** A throttle key. It is never extended, and has no token. */
export const throttles: Namespace = ['t:']

// A key is a name. What is longer is content in the wrong place, which node after node would refuse.
const longest = 4096

/**
 * Checks text that is to reach a server as it is: half a surrogate pair would become a replacement
 * character on the way, the same for all of them.
 */
export const checkText = (option: string, text: unknown, least: number = 0): void => {
  const isText = typeof text === 'string' && !/\p{Cs}/u.test(text)
  const fits = isText && text.length >= least && text.length <= longest
  expect(fits, option, `${least} to ${longest} well-formed characters`, text)
}

/** Whether it may be the secret of a lock. */
export const isValue = (value: unknown): boolean =>
  typeof value === 'string' && /^[!-~]{16,256}$/.test(value)

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
  if (!Array.isArray(key) || !key[0]) checkText('key', key, 1)
  if (typeof key === 'string') return [key]
  for (const one of key) checkText('key', one, 1)
  return [...new Set(key)].sort()
}
