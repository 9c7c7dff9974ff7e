import { Secrets } from './known.ts'
import { shown } from './shown.ts'

/** The secrets of this process, as far as they went by. */
export const secrets = new Secrets()

/** The value of a lock, whose first eight characters tell holders apart. */
export const addValue = (value: string): string => {
  secrets.add(value, 8)
  return value
}

type Seen = { readonly what: string; readonly value: unknown; readonly hasJson: boolean }

const seen: Seen[] = []
const mostSeen = 2_000
const counts = new Map<string, number>()
let leaks: string[] = []

const look = (noted: readonly Seen[]): void => {
  for (const { what, value, hasJson } of noted) {
    const text = shown(value, hasJson)
    const part = secrets.find(text)
    if (part) leaks.push(`${part} is shown by the ${what}: ${text}`)
  }
}

/** Notes what is to be looked at when the test is over, or a little later: it is still filled in. */
export const note = <T>(what: string, value: T, hasJson: boolean = true): T => {
  seen.push({ what, value, hasJson })
  counts.set(what, (counts.get(what) ?? 0) + 1)
  if (seen.length > mostSeen) look(seen.splice(0, mostSeen / 2))
  return value
}

/** How many of what were seen so far in this file. */
export const seenOf = (what: string): number => counts.get(what) ?? 0

/** Looks at all that was noted; the secrets that it shows. */
export const leaked = (): string[] => {
  look(seen.splice(0))
  const found = leaks
  leaks = []
  return found
}
