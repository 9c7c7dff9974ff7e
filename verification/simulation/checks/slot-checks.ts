import { hasAccurateClocks, hasSafeData } from '../workload/fault-rates.ts'
import type { Scenario } from '../workload/scenario.ts'
import type { Pass } from './records.ts'

// Checks of locks and throttles with a limit: `k#1` to `k#N` are the slots of `k`.

/** A period in which one of the slots was taken. */
type Taken = { readonly by: string; readonly from: number; readonly until: number }

/** The periods that go on at the moment with the most of them. */
const mostAtOnce = (periods: readonly Taken[]): readonly Taken[] =>
  periods
    .filter(({ from, until }) => from < until)
    .map(({ from }, _, all) => all.filter((other) => other.from <= from && from < other.until))
    .reduce((most, these) => (these.length > most.length ? these : most), [])

const checkAtOnce = (
  { recorder }: Scenario,
  check: string,
  limit: number,
  periods: readonly Taken[],
): void => {
  const most = mostAtOnce(periods)
  if (most.length === limit) recorder.covered(`slots: ${check} full`)
  if (most.length <= limit) return
  const texts = most.map(
    ({ by, from, until }) => `${by} from ${from.toFixed(1)} to ${until.toFixed(1)}`,
  )
  recorder.violated(check, `${most.length} of at most ${limit}: ${texts.join(', ')}`)
}

/**
 * At no moment do more clients believe to hold a slot than there are slots, each on a slot of its own, and
 * no window has more passes. A pass takes a slot for certain from its return until the window ends that
 * began with its first request.
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
