import { assertOption } from '../util/validate.ts'

// Every Redis key of this library consists of the client's prefix (`lock:` by default), one of these kinds, and a name:
//
//   l:KEY    a lock       the owner: a value, and metadata if there is any. Lives as long as the lock.
//                         `withKeyNames` replaces the whole name, including the prefix, so that locks
//                         can be stored under the keys of another library. Other keys stay the same.
//   f:KEY    its fence    a counter, and the value of the last owner. Outlives the lock by `fenceTtl`.
//   r:KEY    a record     the state of an idempotent request: first its claim, which is held like a lock,
//                         then the record of its response. Lives as long as the claim or the record.
//   rf:KEY   its fence    like the fence of a lock.
//   t:KEY    a throttle   the owner of the window. Lives as long as the window.
//   q:NAME   a queue      the waiters for the key with this name. Lives for a minute after the last join.
//   x:VALUE  a tombstone  empty. Shows that the lock with this value was released. Lives for a minute.
//   id       an identity  the random ID of the server. Never expires.
//   run      a run        on volatile nodes: the last known run of the server, the end of its quarantine,
//                         and its replication history if INFO reports one. Never expires.
//
// `redisGuard` stores its tokens elsewhere: at `fence:RESOURCE`, in the Redis database that it guards.
export const tombstoneKind = 'x:'
export const identityKey = 'id'
export const runKey = 'run'

/** The kinds of keys for one type of resource. Resources in different namespaces never share keys. */
export type Namespace = {
  /** The `kind` of the events. */
  readonly kind: 'lock' | 'throttle' | 'claim'
  readonly owner: string
  readonly fence?: string
}

/** How a client names its keys. */
export type Naming = {
  readonly prefix: string
  /** Returns the Redis keys of locks; undefined if they have the usual names. */
  readonly lockNames?: ((keys: readonly string[]) => string[]) | undefined
}

export const locks: Namespace = { kind: 'lock', owner: 'l:', fence: 'f:' }

/** A throttle has no fence, because it is never extended and has no token. */
export const throttles: Namespace = { kind: 'throttle', owner: 't:' }

// A key is a name. A longer text is probably content that was passed by mistake.
const maxLength = 4096

// The maximum length of all keys of a call, in characters. In JSON, a character takes up to six bytes, and each key
// appears twice. So a request stays below 1 MiB, which gateways accept.
const maxTotal = 65_536

// The additional characters that each key counts as. This limits the number of keys: a script passes all keys and
// fences to one command, and Lua allows 8,000 arguments.
const perKey = 14

/**
 * Checks text that must reach a server unchanged. In transit, a lone surrogate would be replaced by the replacement
 * character, which could make different texts equal.
 */
export const checkText = (option: string, text: unknown, minLength: number = 0): void => {
  const isText = typeof text === 'string' && !/\p{Cs}/u.test(text)
  if (isText && text.length >= minLength && text.length <= maxLength) return
  assertOption(false, option, `${minLength} to ${maxLength} well-formed characters`, text)
}

/** The Redis key of the queue of waiters for a lock, given the Redis key of the lock. */
export const queueKey = (prefix: string, lockKey: string): string => `${prefix}q:${lockKey}`

/** Whether the value can be the secret of a lock. */
export const isValue = (value: unknown): boolean =>
  typeof value === 'string' && /^[!-~]{16,256}$/.test(value)

/**
 * Joins parts into one key. Different parts never result in the same key: `lockKey('a-b', 'c')` differs from
 * `lockKey('a', 'b-c')`, and `lockKey('a:b')` differs from `lockKey('a', 'b')`.
 *
 * @throws `TypeError` if there are no parts, or if a part is anything but a non-empty string, finite number, bigint or
 * boolean. So a missing user ID cannot create a lock that all users share.
 * @example
 * ```ts
 * lockKey('submit', userId, assignmentId) // 'submit:42:essay%3A1'
 * ```
 */
export const lockKey = (...parts: readonly (string | number | bigint | boolean)[]): string => {
  assertOption(parts.length > 0, 'lockKey', 'called with at least one part', parts)
  return parts
    .map((part, index) => {
      const fits = Number.isFinite(part) || /^(string|bigint|boolean)$/.test(typeof part)
      assertOption(
        fits && part !== '',
        `part ${index + 1} of lockKey`,
        'text, a finite number, bigint or boolean',
        part,
      )
      return String(part).replace(/[%:#]/g, encodeURIComponent)
    })
    .join(':')
}

/** Checks the keys of a call, and returns them sorted and without duplicates. */
export const checkKeys = (key: string | readonly string[]): readonly string[] => {
  if (!Array.isArray(key) || !key[0]) checkText('key', key, 1)
  if (typeof key === 'string') return [key]
  for (const one of key) checkText('key', one, 1)
  return [...new Set(key)].sort()
}

/** Calls `keyName` and checks the result, which must not be a key that the library uses for something else. */
const checkedName = (keyName: (key: string) => string, key: string, prefix: string): string => {
  const name = keyName(key)
  const option = `keyName(${JSON.stringify(key)})`
  checkText(option, name, 1)
  const own = name.startsWith(prefix) && name.slice(prefix.length)
  const isFree = own === false || !/^([fqtrx]:|rf:|id$|run$)/.test(own)
  const expected = 'a name that the library does not use'
  assertOption(isFree, option, expected, name)
  return name
}

/**
 * Returns a function that names the Redis keys of locks with the user's `keyName`.
 *
 * @throws `TypeError` if `keyName` does not return a name, returns a key that the library uses otherwise, or returns
 *   one name for two keys. With one name, releasing the first lock would also release the second.
 */
export const lockNamesBy =
  (keyName: (key: string) => string, prefix: string) =>
  (keys: readonly string[]): string[] => {
    const names = keys.map((key) => checkedName(keyName, key, prefix))
    const areDifferent = new Set(names).size === names.length
    const expected = 'a function that gives each key a different name'
    assertOption(areDifferent, 'keyName', expected, keyName, 'one name for two keys')
    return names
  }

/** The Redis keys of the fences, one for each key. */
export const fenceKeys = ({ prefix }: Naming, fence: string, keys: readonly string[]): string[] =>
  keys.map((key) => prefix + fence + key)

/** The Redis keys that store the owner of a lock or a throttle, one for each key. */
export const ownerKeys = (
  { prefix, lockNames }: Naming,
  namespace: Namespace,
  keys: readonly string[],
): string[] => {
  const isNamed = lockNames && namespace === locks
  const names = isNamed ? lockNames(keys) : keys.map((key) => prefix + namespace.owner + key)
  const total = names.reduce((sum, name) => sum + perKey + name.length, -perKey)
  assertOption(total <= maxTotal, 'key', `at most ${maxTotal} characters for all keys`, total)
  return names
}
