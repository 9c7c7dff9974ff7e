import { hasAccurateClocks, hasSafeData } from '../workload/fault-rates.ts'
import type { Scenario } from '../workload/scenario.ts'
import type { Pass } from './records.ts'

// Checks of locks and throttles with a limit: `k#1` to `k#N` are the slots of `k`.

/** A period in which one of the slots was taken. */
type Taken = { readonly by: string; readonly from: number; readonly until: number }

/** The periods that go on at the moment with the maximum number of them. */
const maxAtOnce = (periods: readonly Taken[]): readonly Taken[] =>
  periods
    .filter(({ from, until }) => from < until)
    .map(({ from }, _, all) => all.filter((other) => other.from <= from && from < other.until))
    .reduce((max, these) => (these.length > max.length ? these : max), [])

const checkAtOnce = (
  { recorder }: Scenario,
  check: string,
  limit: number,
  periods: readonly Taken[],
): void => {
  const max = maxAtOnce(periods)
  if (max.length === limit) recorder.covered(`slots: ${check} full`)
  if (max.length <= limit) return
  const texts = max.map(
    ({ by, from, until }) => `${by} from ${from.toFixed(1)} to ${until.toFixed(1)}`,
  )
  recorder.violated(check, `${max.length} of at most ${limit}: ${texts.join(', ')}`)
}

/**
 * Never more clients hold a slot than there are slots, and no window has more passes than the limit. A pass
 * is certain to occupy its slot from its return until one window after its first request.
 */
export const checkLimit = (scenario: Scenario, limit: number, passes: readonly Pass[]): void => {
  const { recorder, rates, options } = scenario
  if (!hasSafeData(rates) || !hasAccurateClocks(rates)) return
  const holds = recorder.holds.map(({ process, keys, from, until }) => ({
    by: `${process} on ${keys.join()}`,
    from,
    until,
  }))
  checkAtOnce(scenario, 'holders', limit, holds)
  const taken = passes.map(({ key, requestedAt, window, returnedAt }) => ({
    by: key,
    from: returnedAt,
    until: requestedAt + window * (1 - options.driftFactor),
  }))
  checkAtOnce(scenario, 'passes', limit, taken)
}

/** A client gets no slot beyond the limit. */
export const checkSlotName = (
  { recorder }: Scenario,
  keys: readonly string[],
  limit: number,
): void => {
  const [, number = ''] = /^[^#]*#(\d+)$/.exec(keys.join()) ?? []
  if (Number(number) >= 1 && Number(number) <= limit) return
  recorder.violated('slot', `${keys.join()} is none of ${limit} slots`)
}

/** Whether every server has the same holder for each slot, and no slot is free. */
export const haveSameHolders = (
  { servers }: Scenario,
  { key, limit }: { readonly key: string; readonly limit: number },
): boolean =>
  Array.from({ length: limit }, (_, index) => `lock:l:${key}#${index + 1}`).every((name) => {
    const holders = servers.map(({ entries, wall }) => {
      const entry = entries.get(name)
      return entry && wall() <= entry.expiresAt ? entry.value : undefined
    })
    return holders[0] !== undefined && holders.every((holder) => holder === holders[0])
  })
