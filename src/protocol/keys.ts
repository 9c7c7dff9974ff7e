import { assertOption } from '../util/validate.ts'

// Every Redis key of the library consists of the client's prefix (`lock:` by default), one of these kinds, and a name:
//
//   l:KEY    a lock       its owner: a value, and metadata if there is any. Lives as long as the lock.
//                         `withKeyNames` replaces the whole name, prefix included, so that the
//                         keys of another library can hold the locks. All other keys keep theirs.
//   f:KEY    its fence    a counter and the value of the last owner. Outlives the lock by `fenceTtl`.
//   r:KEY    a record     what became of an idempotent request: its claim, which is held like a lock, and
//                         then the record of its answer. Lives as long as the claim or the record.
//   rf:KEY   its fence    that of a claim.
//   t:KEY    a throttle   the owner of the window. Lives as long as the window.
//   q:NAME   a queue      who waits to be woken for the key of this name. Lives for a minute after the last join.
//   x:VALUE  a tombstone  empty. The lock with this value was released. Lives for a minute.
//   id       an identity  a random id of the server. Never expires.
//   run      a run        on volatile nodes: the run of the server that was seen last, when its quarantine
//                         ends, and its replication history if INFO reports one. Never expires.
//
// `redisGuard` stores its tokens elsewhere: in the Redis that it guards, at `fence:RESOURCE`.
export const tombstoneKind = 'x:'
export const identityKey = 'id'
export const runKey = 'run'

/** The kinds of keys that one resource has. Resources of different namespaces never share keys. */
export type Namespace = {
  /** The `kind` of its events. */
  readonly kind: 'lock' | 'throttle' | 'claim'
  readonly owner: string
  readonly fence?: string
}

/** The naming of a client's keys. */
export type Naming = {
  readonly prefix: string
  /** Returns the Redis keys of locks, if they have custom names. */
  readonly lockNames?: ((keys: readonly string[]) => string[]) | undefined
}

/** A lock has a fence. */
export const locks: Namespace = { kind: 'lock', owner: 'l:', fence: 'f:' }

/** A throttle is never extended and has no token, so it has no fence. */
export const throttles: Namespace = { kind: 'throttle', owner: 't:' }

// A key is a name. Longer text is probably content in the wrong place, and every node would reject it.
const maxLength = 4096

// For all keys of a call. In JSON, a character takes up to six bytes, and each key appears twice. So a request stays
// below 1 MiB, which gateways accept.
const maxTotal = 65_536

// Each key counts as this many additional characters, because a script passes all keys and fences to one command, and
// Lua allows 8,000 arguments.
const perKey = 14

/**
 * Checks text that must reach a server unchanged. On the way, half a surrogate pair would become the replacement
 * character, so different texts would become equal.
 */
export const checkText = (option: string, text: unknown, minLength: number = 0): void => {
  const isText = typeof text === 'string' && !/\p{Cs}/u.test(text)
  if (isText && text.length >= minLength && text.length <= maxLength) return
  assertOption(false, option, `${minLength} to ${maxLength} well-formed characters`, text)
}

/** The queue of the waiters for a lock, by the Redis key of the lock. */
export const queueKey = (prefix: string, lockKey: string): string => `${prefix}q:${lockKey}`

/** Whether this can be the value (the secret) of a lock. */
export const isValue = (value: unknown): boolean =>
  typeof value === 'string' && /^[!-~]{16,256}$/.test(value)

/**
 * Joins parts into one key. Different parts never give the same key: `lockKey('a-b', 'c')` and
 * `lockKey('a', 'b-c')` differ, and so do `lockKey('a:b')` and `lockKey('a', 'b')`.
 *
 * @throws `TypeError` if there are no parts, or if a part is anything but a non-empty string, finite number, bigint or
 * boolean. So a missing user ID cannot result in a lock that all users share.
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

/** Checks the resources that a caller names, and returns them sorted, without duplicates. */
export const checkKeys = (key: string | readonly string[]): readonly string[] => {
  if (!Array.isArray(key) || !key[0]) checkText('key', key, 1)
  if (typeof key === 'string') return [key]
  for (const one of key) checkText('key', one, 1)
  return [...new Set(key)].sort()
}

/** The checked result of `keyName`: no other key of the library may be mistaken for a lock. */
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
 * Names the Redis keys of locks with the user's function.
 *
 * @throws `TypeError` if it does not return a name, or returns one of the library's own keys, or one name for two keys.
 * With one name, the release of the first lock would release both.
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

/** The Redis keys of the fences of these keys. */
export const fenceKeys = ({ prefix }: Naming, fence: string, keys: readonly string[]): string[] =>
  keys.map((key) => prefix + fence + key)

/** The Redis keys that hold a lock or a throttle, one for each of its keys. */
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
