import { Secrets } from './known.ts'
import { shown } from './shown.ts'

/** The secrets of this process that were seen so far. */
export const secrets = new Secrets()

/** Remembers the value of a lock, whose first eight characters are public. */
export const addValue = (value: string): string => {
  secrets.add(value, 8)
  return value
}

type Seen = { readonly what: string; readonly value: unknown; readonly hasJson: boolean }

const seen: Seen[] = []
const maxSeen = 2_000
const counts = new Map<string, number>()
let leaks: string[] = []

const look = (noted: readonly Seen[]): void => {
  for (const { what, value, hasJson } of noted) {
    const text = shown(value, hasJson)
    const part = secrets.find(text)
    if (part) leaks.push(`${part} is shown by the ${what}: ${text}`)
  }
}

/** Notes a value, to be checked when the test is over: it may not be complete yet. */
export const note = <T>(what: string, value: T, hasJson: boolean = true): T => {
  seen.push({ what, value, hasJson })
  counts.set(what, (counts.get(what) ?? 0) + 1)
  if (seen.length > maxSeen) look(seen.splice(0, maxSeen / 2))
  return value
}

/** How many values of a kind were noted so far in this file. */
export const seenOf = (what: string): number => counts.get(what) ?? 0

/** Checks all values that were noted; returns the secrets that they show. */
export const leaked = (): string[] => {
  look(seen.splice(0))
  const found = leaks
  leaks = []
  return found
}
