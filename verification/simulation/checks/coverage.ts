/**
 * What a large run must have covered at least once, to prove anything about it: faults, results and
 * events.
 */
export const expectedCoverage: readonly string[] = [
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
  'rejected: two nodes are one server',
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
  'burst with one winner, fault: none',
  'burst with one winner, fault: first node down',
  'burst with one winner, fault: first node cut off from some clients',
  'burst with one winner, fault: one client dies',
  'checked for leftover keys',
]

/** The number of histories from which on everything must have been covered. */
export const enoughForAll = 20_000

export const addCoverage = (
  total: Map<string, number>,
  more: Iterable<readonly [name: string, count: number]>,
): void => {
  for (const [name, count] of more) total.set(name, (total.get(name) ?? 0) + count)
}
