import { crowdsOf } from '../../history/holders.ts'
import { hasAccurateClocks, hasSafeData } from '../workload/fault-rates.ts'
import type { Server } from '../engine/server.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import type { Pass } from './records.ts'

// Checks of locks and throttles with a limit: `k#1` to `k#N` are the slots of `k`.

/** A period in which one of the slots was taken. */
type Taken = { readonly by: string; readonly from: number; readonly until: number }

const checkAtOnce = (
  { recorder }: Scenario,
  check: string,
  limit: number,
  periods: readonly Taken[],
): void => {
  const max = crowdsOf(periods).reduce(
    (max, crowd) => (crowd.length > max.length ? crowd : max),
    [],
  )
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

type Slots = { readonly key: string; readonly limit: number }

/** The holders of the slots on a server, in order; undefined for a slot that is free. */
const holdersOn = ({ entries, wall }: Server, { key, limit }: Slots): (string | undefined)[] =>
  Array.from({ length: limit }, (_, index) => {
    const entry = entries.get(`lock:l:${key}#${index + 1}`)
    return entry && wall() <= entry.expiresAt ? entry.value : undefined
  })

/** Whether every server has the same holder for each slot, and no slot is free. */
export const haveSameHolders = ({ servers }: Scenario, slots: Slots): boolean => {
  const [first, ...others] = servers.map((server) => holdersOn(server, slots))
  return first!.every(
    (holder, slot) => holder && others.every((holders) => holders[slot] === holder),
  )
}

// A slot may be held by a bare quorum, so that a call gets another node for it: if one of the others answers
// too late to be heard, the call asks again.
const maxAsks = 15

/**
 * How many acquire requests a call needs, at least and at most, that is refused because all slots are taken. For
 * a frugal call, the refusal of the first node is enough. Any other call asks every node.
 */
export const requestsOfRefusal = (
  scenario: Scenario,
  slots: Slots,
  strategy: SimulatedClient['strategy'],
): readonly [number, number] => {
  const { servers } = scenario
  const isFull = holdersOn(servers[0]!, slots).every((holder) => holder !== undefined)
  if (strategy === 'frugal' && isFull) return [1, 1]
  const { length } = servers
  return [length, haveSameHolders(scenario, slots) ? length : maxAsks * length]
}
