import type {
  AboutKeys,
  Accept,
  Acquire,
  Inspect,
  Release,
  Terms,
} from '../../../protocol/command.ts'

// The commands that the tests send. Their TTLs are longer than a test, except in tests of expiry.

export const fenceTtl = 60_000
export const longTtl = 30_000

/** The value of a lock, in the usual form. It is unique for each `owner` of up to 8 characters. */
const valueOf = (owner: string): string => `${owner.padStart(8, '0')}-0000-4000-8000-000000000000`

/** The keys and the owner of a command. */
export type TestSubject = {
  /** The prefix of all keys of the test. */
  readonly prefix: string
  readonly identity: string
  readonly names: readonly string[]
  /** The name of the owner: up to 8 letters and digits. */
  readonly owner: string
  readonly metadata?: string | undefined
  /** Whether the keys belong to throttles, which have no fences. */
  readonly isThrottle?: boolean
}

/** The fields that all commands on these keys share. */
export const aboutOf = (subject: TestSubject): AboutKeys => {
  const { prefix, identity, names, owner, metadata, isThrottle = false } = subject
  const value = valueOf(owner)
  return {
    keys: names.map((name) => `${prefix}${isThrottle ? 't' : 'l'}:${name}`),
    fences: isThrottle ? [] : names.map((name) => `${prefix}f:${name}`),
    tombstone: `${prefix}x:${value}`,
    identity,
    owner: metadata ? `${value} ${metadata}` : value,
    value,
    fenceTtl,
  }
}

export const acquireOf = (about: AboutKeys, terms: Terms): Acquire => ({
  op: 'acquire',
  ...about,
  ...terms,
})

export const inspectOf = (about: AboutKeys): Inspect => ({ op: 'inspect', ...about })

export const releaseOf = (about: AboutKeys): Release => ({
  op: 'release',
  ...about,
  tombstoneTtl: longTtl,
})

/** The record of a claim, in the usual form. */
export const recordText = ({ value }: AboutKeys, token: number): string =>
  `${value.slice(0, 8)} d ${token} fingerprint answer`

/** The command that replaces a claim with its record. */
export const acceptOf = (about: AboutKeys, token: number): Accept => ({
  op: 'accept',
  ...about,
  ttl: longTtl,
  token,
  record: recordText(about, token),
})
