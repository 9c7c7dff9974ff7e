import type { ScenarioChoice, ScenarioName } from '../scenarios/names.ts'

/**
 * The events that a large run must have covered at least once in each scenario, to prove anything about it:
 * faults, results and events.
 */
const expected: Readonly<Record<ScenarioName, readonly string[]>> = {
  faults: [
    'lost request',
    'lost reply',
    'duplicate request',
    'garbled reply',
    'reply to another request',
    'refused connection',
    'cut link',
    'hanging server',
    'flushed scripts',
    'paused process',
    'killed process',
    'evicted Worker',
    'jump of a process clock',
    'jump of a server clock',
    'restart without data',
    'restart without the last writes',
    'quarantined node',
    'two nodes are one server',
    'node that leads to another server',
    'locked',
    'unavailable',
    'split vote',
    'acquire repeated by the leader',
    'acquire after its release',
    'extend',
    'extend restores the lock on a node',
    'extend on a node without the lock',
    'lost lock',
    'operation on a lost lock',
    'signal aborted at the end of validity',
    'aborted call',
    'adopted lock',
    'token without a request',
    'token by another round',
    'released: released',
    'released: expired',
    'released: unconfirmed',
    'throttle: passed',
    'throttle: locked',
    'throttle: unavailable',
    'every client served after recovery',
    'checked for leftover keys',
  ],
  expiry: [
    'counter that has expired: TIME',
    'counter that has expired: no TIME',
    'counter that has expired: TIME on some nodes',
    'server clocks that jump',
    'locks that outlive their fenceTtl',
    'token without a request',
    'token by another round',
    'adopted lock',
    'extend restores the lock on a node',
  ],
  'sick-burst': [
    'burst on a lock with no wait',
    'burst on a lock with a wait',
    'burst on a throttle with no wait',
    'burst on several keys',
    'burst of many clients',
    'burst of parallel and frugal clients',
    'clients that remember slow nodes',
    'burst with one winner: all nodes are well',
    'burst with one winner: a node hangs',
    'burst with one winner: a node is late',
    'burst with one winner: a node flaps',
    'burst with one winner: a node refuses',
    'burst with one winner: a node rejects',
    'burst with one winner: a node is cut off',
    'burst with one winner: several nodes are sick',
    'burst with one winner: a client dies',
  ],
  regions: [
    'burst with one winner: one region',
    'burst with one winner: one region, cold',
    'burst with one winner: one region, sick nodes',
    'burst with one winner: one region, cold, sick nodes',
    'burst with one winner: two regions',
    'burst with one winner: two regions, cold',
    'burst with one winner: two regions, sick nodes',
    'burst with one winner: two regions, cold, sick nodes',
    'burst with one winner: each region',
    'burst with one winner: each region, cold',
    'burst with one winner: each region, sick nodes',
    'burst with one winner: each region, cold, sick nodes',
  ],
  holders: [
    'kept alive',
    'kept alive while a node hangs',
    'kept alive while a node is late',
    'kept alive while a node flaps',
    'kept alive while a node refuses',
    'kept alive while a node rejects',
    'kept alive while a node is cut off',
  ],
  lines: [
    'line: won',
    'line: locked',
    'line: unavailable',
    'line: aborted',
    'line: unavailable in an outage',
    'line: callers give up one after the other',
  ],
  requests: [
    'requests: all nodes are well',
    'requests: sick nodes',
    'requests: faulty network',
    'requests: a process crashes',
    'requests: paused processes',
    'requests: a server loses a record',
    'request: ran',
    'request: released',
    'request: replayed',
    'request: held',
    'request: unavailable',
    'request: gave way to another run',
    'request: recorded after its claim was lost',
    'request: ran again after a crash',
    'requests: a record on a minority',
    'requests: one run',
  ],
}

/** The coverage that a large run of these histories needs. */
export const expectedCoverage = (choice: ScenarioChoice): readonly string[] =>
  choice === 'mixed'
    ? Object.entries(expected).flatMap(([name, all]) => (name === 'requests' ? [] : all))
    : expected[choice]

/** The number of histories from which on everything must have been covered. */
export const enoughForAll = 20_000

export const addCoverage = (
  total: Map<string, number>,
  more: Iterable<readonly [name: string, count: number]>,
): void => {
  for (const [name, count] of more) total.set(name, (total.get(name) ?? 0) + count)
}
