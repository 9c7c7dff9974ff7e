/** What a large run must have met at least once: else it proves nothing about it. */
export const expectedCoverage: readonly string[] = [
  'lost request',
  'lost reply',
  'duplicate request',
  'garbled reply',
  'mixed-up reply',
  'refused connection',
  'a cut',
  'a server that hangs',
  'scripts forgotten',
  'a pause',
  'a crash',
  'a worker evicted',
  'a clock of a process that jumps',
  'a clock of a node that jumps',
  'an empty restart',
  'a restart without the last writes',
  'a node in quarantine',
  'refused twins',
  'locked',
  'unavailable',
  'a split vote',
  'a leader asks again',
  'an acquire after its release',
  'an extend',
  'a healed node',
  'a node that lost the lock',
  'a lost lock',
  'an operation on a lost lock',
  'a signal that told of the end',
  'an aborted call',
  'an adopted lock',
  'a token without a request',
  'a token by another round',
  'released: released',
  'released: expired',
  'released: unconfirmed',
  'a throttle passed',
  'throttle: locked',
  'throttle: unavailable',
  'everyone served',
  'a burst with one winner, trouble: none',
  'a burst with one winner, trouble: lowest down',
  'a burst with one winner, trouble: lowest cut off from some',
  'a burst with one winner, trouble: one dies',
  'looked for leftovers',
]

/** From so many histories on, everything must have been met. */
export const enoughForAll = 20_000

export const add = (
  total: Map<string, number>,
  more: Iterable<readonly [what: string, count: number]>,
): void => {
  for (const [what, count] of more) total.set(what, (total.get(what) ?? 0) + count)
}
