import { hasHonestClocks, hasSafeData, type Weather } from '../workload/fault-rates.ts'
import type { Hold, Pass, Recorder, Token } from './recorder.ts'

// What is looked at when a history is over.

const share = (a: readonly string[], b: readonly string[]): boolean =>
  a.some((key) => b.includes(key))

const time = (at: number): string => at.toFixed(1)

/** Runs the check on each pair of things that differ and share a key. */
const pairs = <T extends { readonly keys: readonly string[]; readonly value: string }>(
  list: readonly T[],
  check: (a: T, b: T) => void,
): void => {
  for (const [index, a] of list.entries()) {
    for (const b of list.slice(index + 1)) if (share(a.keys, b.keys)) check(a, b)
  }
}

const checkExclusion = ({ holds, violated }: Recorder): void =>
  pairs(holds, (a, b) => {
    if (a.value === b.value || a.from >= b.until || b.from >= a.until) return
    const text = ({ process, from, until }: Hold): string =>
      `${process} from ${time(from)} to ${time(until)}`
    violated('exclusion', `${a.keys.join()} is held by ${text(a)} and by ${text(b)}`)
  })

const checkTokens = ({ tokens, violated }: Recorder): void =>
  pairs(tokens, (one, other) => {
    const [a, b] = one.confirmedAt <= other.confirmedAt ? [one, other] : [other, one]
    const isSame = a.value === b.value
    const text = (token: Token): string =>
      `${token.token} of ${token.value.slice(0, 8)} (${time(token.askedAt)} to ${time(token.confirmedAt)})`
    if (!isSame && a.token === b.token) violated('token uniqueness', `${text(a)} and ${text(b)}`)
    // Another lock that was asked for later, or the same lock when its token was asked for later.
    const isLater = a.confirmedAt < (isSame ? b.askedAt : b.lockAt)
    if (isLater && b.token < a.token) violated('token order', `${text(a)}, then ${text(b)}`)
  })

const checkThrottles = ({ passes, violated }: Recorder, driftFactor: number): void => {
  for (const [index, a] of passes.entries()) {
    for (const b of passes.slice(index + 1)) {
      if (a.key !== b.key) continue
      const isAfter = (one: Pass, other: Pass): boolean =>
        one.done >= other.askedAt + other.window * (1 - driftFactor)
      if (!isAfter(a, b) && !isAfter(b, a)) {
        violated('throttle', `${a.key} passed at ${time(a.done)} and at ${time(b.done)}`)
      }
    }
  }
}

/** The token that a client was given, against what the servers have really told. */
export const checkConfirmed = (
  { truth, violated }: Recorder,
  { value, token }: Token,
  quorum: number,
): void => {
  const told = truth.told.get(value)?.get(token)?.size ?? 0
  if (told < quorum) violated('confirmation', `${token} was told by ${told} of ${quorum} servers`)
}

/** A lock that a client was given, against the servers that have really granted it. */
export const checkGranted = (
  { truth, violated }: Recorder,
  { value, process }: Hold,
  quorum: number,
): void => {
  const granted = truth.granted.get(value)?.size ?? 0
  if (granted < quorum) violated('quorum', `${process} holds on ${granted} of ${quorum} servers`)
}

/** An extend that has succeeded, against the servers that have really confirmed it. */
export const checkExtended = (
  { truth, violated }: Recorder,
  { value, process }: Hold,
  begun: number,
  quorum: number,
): void => {
  const times = [...(truth.extended.get(value)?.values() ?? [])]
  const confirmed = times.filter((at) => at >= begun).length
  if (confirmed < quorum) violated('quorum', `${process} extends on ${confirmed} of ${quorum}`)
}

/**
 * An extend that has succeeded, against who else was on a quorum of servers before the first of them
 * confirmed it. (Where clocks leap, another may get in before the reply does.)
 */
export const checkContinuity = ({ truth, violated }: Recorder, hold: Hold, begun: number): void => {
  const { value, keys, from, process } = hold
  const asked = Math.max(...(truth.granted.get(value)?.values() ?? [0]))
  const times = [...(truth.extended.get(value)?.values() ?? [])]
  const confirmed = Math.min(...times.filter((at) => at >= begun))
  for (const [other, held] of truth.onQuorum) {
    if (other === value || !share(held.keys, keys)) continue
    // An acquire that is executed late may come after the other has gone again.
    if (held.at > from && held.at > asked && held.at < confirmed) {
      violated('continuity', `${process} extends, and another held it at ${time(held.at)}`)
    }
  }
}

/** What must be true of the whole history, in weather that allows for it. */
export const checkHistory = (recorder: Recorder, weather: Weather, driftFactor: number): void => {
  if (hasSafeData(weather)) checkTokens(recorder)
  if (!hasSafeData(weather) || !hasHonestClocks(weather)) return
  checkExclusion(recorder)
  checkThrottles(recorder, driftFactor)
}
