/** What one run of SPIN is to show. */
export type Check = {
  readonly id: string
  /**
   * holds: the properties are true in every state, and all states were visited. broken: a
   * counterexample is found. reachable: so is a run that does what the probe says is impossible.
   */
  readonly expected: 'holds' | 'broken' | 'reachable'
  readonly about: string
  /** What differs from the defaults of bounds.pml: numbers are bounds, `true` is a switch. */
  readonly settings: Readonly<Record<string, number | true>>
}

export type Size = 'ci' | 'long'

const small = { SPREAD: 0, CLOCK: 0 }

const holds = (id: string, about: string, settings: Check['settings']): Check => ({
  id,
  expected: 'holds',
  about,
  settings,
})

const broken = (id: string, about: string, settings: Check['settings']): Check => ({
  id,
  expected: 'broken',
  about,
  settings: { ...small, ...settings },
})

const reachable = (id: string, about: string, settings: Check['settings']): Check => ({
  id,
  expected: 'reachable',
  about,
  settings: { ...small, ...settings },
})

// In all of these, two attempts acquire, extend, heal, release and crash on every node, and every
// lock may expire at any moment. A world is one of these with more of something.
const worlds: readonly Check[] = [
  holds('clocks', 'counters begin with 0 or 1, clients tell a time or none', {}),
  holds('two-rounds', 'raise and extend take effect twice per attempt and node', {
    ...small,
    RAISES: 2,
  }),
  holds('duplicate', 'any one request comes twice, or is sent again', { ...small, DUPLICATES: 1 }),
  holds('restart', 'a node comes up empty after quarantine; counters begin with 0 or 1', {
    CLOCK: 0,
    RESTARTS: 1,
  }),
  // A release frees a lock as expiry does, which goes on here, and would only stop later requests.
  holds('put-back', 'a node comes up empty, and extend puts locks back; nobody releases', {
    ...small,
    RESTARTS: 1,
    RAISES: 2,
    PUT_BACK: true,
    PUT_BACK_SEEDED: true,
    WITHOUT_RELEASES: true,
  }),
  holds('raise-anything', 'raise and extend ask for any token up to 4, answered or not', {
    ...small,
    RAISE_TO_ANYTHING: 4,
  }),
  holds('four-nodes', 'four nodes, of which three are a quorum', { ...small, NODES: 4 }),
  holds('heal-anywhere', 'a lock is put back though another has acquired in between', {
    ...small,
    HEAL_WITHOUT_CONTINUITY: true,
  }),
  holds('heal-keeps-fence', 'a lock is put back at the counter that it had', {
    ...small,
    HEAL_WITHOUT_INCREMENT: true,
  }),
]

// What the same worlds are when more happens at once; with four nodes; and with three attempts.
const largerWorlds: readonly Check[] = [
  holds('clocks-uneven', 'counters begin with 0, 1 or 2, clients tell a later time or none', {
    SPREAD: 2,
    CLOCK: 4,
  }),
  holds('two-rounds-uneven', 'two-rounds; counters begin with 0 or 1', { CLOCK: 0, RAISES: 2 }),
  holds('duplicate-uneven', 'duplicate; counters begin with 0 or 1', {
    CLOCK: 0,
    DUPLICATES: 1,
  }),
  holds('two-duplicates', 'any two requests come twice, or one three times', {
    ...small,
    DUPLICATES: 2,
  }),
  holds('restart-clocks', 'restart; clients tell a time or none', { RESTARTS: 1 }),
  holds('two-restarts', 'two nodes come up empty, or one twice', { CLOCK: 0, RESTARTS: 2 }),
  holds('restart-two-rounds', 'restart and two-rounds', { ...small, RESTARTS: 1, RAISES: 2 }),
  holds('four-nodes-uneven', 'four nodes; counters begin with 0 or 1', { CLOCK: 0, NODES: 4 }),
  holds('three-attempts', 'three attempts, with nothing but acquires and releases', {
    ...small,
    ATTEMPTS: 3,
    RAISES: 0,
  }),
]

const brokenVariants: readonly Check[] = [
  broken('max-without-raise', 'the highest answer of a quorum is the token', {
    MAX_WITHOUT_RAISE: true,
  }),
  broken('raise-acks-ownership', 'raise says "still yours", not which number', {
    RAISE_ACKS_OWNERSHIP: true,
  }),
  broken('acquire-without-increment', 'an acquire leaves the counter as it is', {
    ACQUIRE_WITHOUT_INCREMENT: true,
  }),
  broken('restart-without-quarantine', 'a node comes up empty and answers at once', {
    RESTART_WITHOUT_QUARANTINE: true,
    RESTARTS: 1,
  }),
  broken('quorum-minus-one', 'one node less than the majority will do', { QUORUM_MINUS_ONE: true }),
  broken('heal-anywhere-keeps-fence', 'heal-anywhere and heal-keeps-fence together', {
    HEAL_WITHOUT_CONTINUITY: true,
    HEAL_WITHOUT_INCREMENT: true,
  }),
  broken('put-back-unseeded', 'extend puts the lock into an empty node, without a time', {
    PUT_BACK: true,
    RESTARTS: 1,
    RAISES: 2,
  }),
]

const probes: readonly Check[] = [
  reachable('begins-after', 'an attempt begins after another has confirmed, and confirms too', {
    PROBE_SECOND_BEGINS_LATER: true,
  }),
  reachable('born-stale', 'an attempt confirms less than another has already', {
    PROBE_BORN_STALE: true,
  }),
  reachable('raise-decides', 'the answer to a raise confirms the second token', {
    PROBE_RAISE_DECIDES: true,
  }),
  reachable('heal-decides', 'so does the answer of a node that puts the lock back', {
    PROBE_HEAL_DECIDES: true,
  }),
  reachable('restarted-node-decides', 'so does that of a node that came up empty', {
    PROBE_AFTER_RESTART: true,
    RESTARTS: 1,
  }),
  reachable('duplicate-decides', 'so does that to a duplicate', {
    PROBE_DUPLICATE_DECIDES: true,
    DUPLICATES: 1,
  }),
]

/** The checks of a size; every one of the small size is in the large one too. */
export const checksOf = (size: Size): readonly Check[] => [
  ...worlds,
  ...(size === 'long' ? largerWorlds : []),
  ...brokenVariants,
  ...probes,
]
