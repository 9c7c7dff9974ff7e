import { checkSlotHolders } from '../../history/exclusion.ts'
import { holdsOf } from '../../history/holds.ts'
import { hasAccurateClocks, hasSafeData } from '../workload/fault-rates.ts'
import type { Server } from '../engine/server.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import { showTime } from './history-checks.ts'

// Checks locks with a limit: `k#1` to `k#N` are the slots of `k`.

type Slots = { readonly key: string; readonly limit: number }

/** Checks that there are never more holders than slots. */
export const checkLimit = (scenario: Scenario, slots: Slots): void => {
  const { recorder, rates } = scenario
  if (!hasSafeData(rates) || !hasAccurateClocks(rates)) return
  const { findings, most } = checkSlotHolders(holdsOf(recorder.operations()), slots, showTime)
  if (most === slots.limit) recorder.covered('slots: holders full')
  for (const { check, text } of findings) recorder.violated(check, text)
}

/** Checks that no client acquires a slot beyond the limit. */
export const checkSlotName = (
  { recorder }: Scenario,
  keys: readonly string[],
  limit: number,
): void => {
  const [, number = ''] = /^[^#]*#(\d+)$/.exec(keys.join()) ?? []
  if (Number(number) >= 1 && Number(number) <= limit) return
  recorder.violated('slot', `${keys.join()} is none of ${limit} slots`)
}

/** The holders of the slots on a server, in order; undefined for a free slot. */
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

// If a slot is held on a bare quorum, another node can grant it to a call. If a node of that quorum replies too late,
// the call sends another round of requests.
const maxAsks = 15

/**
 * The minimum and maximum number of acquire requests of a call that is rejected because all slots are taken. The first
 * node can reject a frugal call. Any other call sends requests to every node.
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
