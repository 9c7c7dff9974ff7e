import type { Check, Size } from './check.ts'
import { recordChecks } from './record-checks.ts'

const small = { SPREAD: 0, CLOCK: 0 }

const holds = (id: string, description: string, settings: Check['settings']): Check => ({
  model: 'fencing',
  id,
  expected: 'holds',
  description,
  settings,
})

const broken = (id: string, description: string, settings: Check['settings']): Check => ({
  model: 'fencing',
  id,
  expected: 'broken',
  description,
  settings: { ...small, ...settings },
})

const reachable = (id: string, description: string, settings: Check['settings']): Check => ({
  model: 'fencing',
  id,
  expected: 'reachable',
  description,
  settings: { ...small, ...settings },
})

// The worlds: sets of bounds in which the protocol must hold. In all of them, two attempts acquire, extend, heal,
// release and crash on every node, and every lock may expire at any moment. Each world adds something.
const worlds: readonly Check[] = [
  holds('clocks', 'counters begin with 0 or 1, clients send a time or none', {}),
  holds('two-rounds', 'raise and extend take effect twice per attempt and node', {
    ...small,
    RAISES: 2,
  }),
  holds('duplicate', 'one request, whichever, arrives twice or is sent again', {
    ...small,
    DUPLICATES: 1,
  }),
  holds('restart', 'a node restarts empty, with quarantine; counters begin with 0 or 1', {
    CLOCK: 0,
    RESTARTS: 1,
  }),
  // A release frees a lock like expiry, which this world also includes.
  holds('put-back', 'a node restarts empty, and extends restore locks; nobody releases', {
    ...small,
    RESTARTS: 1,
    RAISES: 2,
    PUT_BACK: true,
    PUT_BACK_SEEDED: true,
    WITHOUT_RELEASES: true,
  }),
  holds('force', 'an operator releases the lock of an attempt by force', { ...small, FORCES: 1 }),
  holds('expiry', 'counters expire, up to two of them', { ...small, EXPIRIES: 2 }),
  holds('raise-anything', 'raise and extend request any token up to 4, reported or not', {
    ...small,
    RAISE_TO_ANYTHING: 4,
  }),
  holds('four-nodes', 'four nodes, with a quorum of three', { ...small, NODES: 4 }),
  holds('heal-anywhere', 'a lock is restored although another has acquired meanwhile', {
    ...small,
    HEAL_WITHOUT_CONTINUITY: true,
  }),
  holds('heal-keeps-fence', 'a lock is restored without raising the counter', {
    ...small,
    HEAL_WITHOUT_INCREMENT: true,
  }),
]

// The same worlds with more simultaneous events, with four nodes, and with three attempts.
const largerWorlds: readonly Check[] = [
  holds('clocks-uneven', 'counters begin with 0, 1 or 2, clients send a later time or none', {
    SPREAD: 2,
    CLOCK: 4,
  }),
  holds('two-rounds-uneven', 'two-rounds; counters begin with 0 or 1', { CLOCK: 0, RAISES: 2 }),
  holds('duplicate-uneven', 'duplicate; counters begin with 0 or 1', {
    CLOCK: 0,
    DUPLICATES: 1,
  }),
  holds('two-duplicates', 'any two requests arrive twice, or one three times', {
    ...small,
    DUPLICATES: 2,
  }),
  holds('restart-clocks', 'restart; clients send a time or none', { RESTARTS: 1 }),
  holds('expiry-uneven', 'expiry; counters begin with 0 or 1', { CLOCK: 0, EXPIRIES: 2 }),
  holds('expiry-put-back', 'a counter expires, and extends restore locks; nobody releases', {
    ...small,
    EXPIRIES: 1,
    RAISES: 2,
    PUT_BACK: true,
    PUT_BACK_SEEDED: true,
    WITHOUT_RELEASES: true,
  }),
  holds('two-restarts', 'two nodes restart empty, or one does twice', { CLOCK: 0, RESTARTS: 2 }),
  holds('restart-two-rounds', 'restart and two-rounds', { ...small, RESTARTS: 1, RAISES: 2 }),
  holds('four-nodes-uneven', 'four nodes; counters begin with 0 or 1', { CLOCK: 0, NODES: 4 }),
  holds('three-attempts', 'three attempts, with acquires and releases only', {
    ...small,
    ATTEMPTS: 3,
    RAISES: 0,
  }),
]

const brokenVariants: readonly Check[] = [
  broken('max-without-raise', 'the highest reply of a quorum is the token', {
    MAX_WITHOUT_RAISE: true,
  }),
  broken('raise-acks-ownership', 'the reply to a raise confirms the lock, but not the number', {
    RAISE_ACKS_OWNERSHIP: true,
  }),
  broken('acquire-without-increment', 'an acquire does not raise the counter', {
    ACQUIRE_WITHOUT_INCREMENT: true,
  }),
  broken('restart-without-quarantine', 'a node restarts empty, and votes at once', {
    RESTART_WITHOUT_QUARANTINE: true,
    RESTARTS: 1,
  }),
  broken('quorum-minus-one', 'a quorum is one node fewer than the majority', {
    QUORUM_MINUS_ONE: true,
  }),
  broken('heal-anywhere-keeps-fence', 'heal-anywhere and heal-keeps-fence together', {
    HEAL_WITHOUT_CONTINUITY: true,
    HEAL_WITHOUT_INCREMENT: true,
  }),
  broken('force-keeps-mark', 'a release by force leaves the mark of the holder', {
    FORCES: 1,
    FORCE_KEEPS_MARK: true,
  }),
  broken('expiry-unseeded', 'a counter that has expired starts at 0', {
    EXPIRY_UNSEEDED: true,
    EXPIRIES: 1,
  }),
  broken('fence-expires-first', 'a fence expires before its lock', {
    FENCE_EXPIRES_FIRST: true,
    EXPIRIES: 1,
  }),
  broken('expiry-put-back-unseeded', 'put-back-unseeded, on a node whose counter has expired', {
    PUT_BACK: true,
    EXPIRIES: 1,
    RAISES: 2,
  }),
  broken('put-back-unseeded', 'an extend restores a lock on an empty node, without a time', {
    PUT_BACK: true,
    RESTARTS: 1,
    RAISES: 2,
  }),
]

const probes: readonly Check[] = [
  reachable(
    'begins-after',
    'an attempt begins after another has confirmed a token, and confirms one too',
    {
      PROBE_SECOND_BEGINS_LATER: true,
    },
  ),
  reachable('born-stale', 'an attempt confirms a lower token than another already has', {
    PROBE_BORN_STALE: true,
  }),
  reachable('raise-decides', 'the reply to a raise confirms the second token', {
    PROBE_RAISE_DECIDES: true,
  }),
  reachable('heal-decides', 'so does the reply of a node that restores the lock', {
    PROBE_HEAL_DECIDES: true,
  }),
  reachable('restarted-node-decides', 'so does the reply of a node that has restarted empty', {
    PROBE_AFTER_LOSS: true,
    RESTARTS: 1,
  }),
  reachable('expired-counter-decides', 'so does the reply of a node whose counter has expired', {
    PROBE_AFTER_LOSS: true,
    EXPIRIES: 1,
  }),
  reachable('duplicate-decides', 'so does the reply to a duplicate', {
    PROBE_DUPLICATE_DECIDES: true,
    DUPLICATES: 1,
  }),
]

/** The checks of one size. The checks of `ci` are also part of `long`. */
export const checksOf = (size: Size): readonly Check[] => [
  ...worlds,
  ...(size === 'long' ? largerWorlds : []),
  ...brokenVariants,
  ...probes,
  ...recordChecks(size),
]
