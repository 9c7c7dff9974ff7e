import type { Check, Size } from './check.ts'

// The checks of records.pml.

const check =
  (expected: Check['expected']) =>
  (id: string, description: string, settings: Check['settings'], isFirst = false): Check => ({
    model: 'records',
    id: `records-${id}`,
    expected,
    description,
    settings,
    isFirst,
  })
const [holds, broken, reachable] = [check('holds'), check('broken'), check('reachable')]

// Two attempts that claim, each with one proposal.
const two = { CLAIMERS: 2, FINDERS: 0, ROUNDS: 1 }

const worlds: readonly Check[] = [
  holds('finder', 'two attempts claim and propose, another finds a record and proposes it', {
    ...two,
    FINDERS: 1,
  }),
  holds('extend', 'two attempts claim, extend and propose', { ...two, RAISES: 1 }),
  holds('clocks', 'two attempts, whose requests carry any time, and arrive at any time', {
    ...two,
    CLOCKS: true,
    LATE_ACQUIRES: true,
  }),
  holds('twice', 'one attempt claims, another finds its record; both propose twice', {
    CLAIMERS: 1,
    FINDERS: 1,
    ROUNDS: 2,
  }),
  holds('forget', 'one attempt claims, another finds its record, a third writes a mark over it', {
    CLAIMERS: 1,
    FINDERS: 1,
    FORGETTERS: 1,
    ROUNDS: 1,
  }),
  holds('restart', 'a node restarts empty, with quarantine', { ...two, RESTARTS: 1 }),
]

const largerWorlds: readonly Check[] = [
  holds('finder-clocks', 'finder and clocks together', {
    ...two,
    FINDERS: 1,
    CLOCKS: true,
    LATE_ACQUIRES: true,
  }),
  holds('finder-restart', 'finder and restart together', { ...two, FINDERS: 1, RESTARTS: 1 }),
]

const brokenVariants: readonly Check[] = [
  broken('unfenced', 'a node takes a record although it has promised more', {
    ...two,
    UNFENCED_COMPLETION: true,
  }),
  broken('forgetful', 'a node takes a record although it has forgotten its promises', {
    ...two,
    RESTARTS: 1,
    FORGETFUL_COMPLETION: true,
  }),
  broken('ignored', 'an attempt proposes its answer whatever records it was told', {
    ...two,
    IGNORES_RECORDS: true,
  }),
  broken('claim-over-record', 'a node grants a claim although it has a record', {
    ...two,
    CLAIM_OVER_RECORD: true,
  }),
  broken('mark-without-promise', 'a node takes a mark although it has promised more since', {
    ...two,
    FORGETTERS: 1,
    MARK_WITHOUT_PROMISE: true,
  }),
  broken('minority', 'a record counts once a minority has it', {
    ...two,
    RECORD_ON_MINORITY: true,
  }),
  broken(
    'same-token',
    'an attempt proposes twice under one token',
    { ...two, ROUNDS: 2, SAME_TOKEN_AGAIN: true },
    true,
  ),
]

const probes: readonly Check[] = [
  reachable('taken-over', 'an attempt gets the answer of another recorded', {
    ...two,
    FINDERS: 1,
    PROBE_TAKES_OVER: true,
  }),
  reachable('rival', 'an answer is recorded while another attempt has proposed its own', {
    ...two,
    PROBE_RIVAL: true,
  }),
  reachable('forgotten', 'an answer that a quorum has recorded is given up', {
    ...two,
    FORGETTERS: 1,
    PROBE_FORGOTTEN: true,
  }),
  reachable('after-restart', 'an answer is recorded after a node has restarted empty', {
    ...two,
    RESTARTS: 1,
    PROBE_AFTER_RESTART: true,
  }),
]

/** The checks of a size. */
export const recordChecks = (size: Size): readonly Check[] => [
  ...worlds,
  ...(size === 'long' ? largerWorlds : []),
  ...brokenVariants,
  ...probes,
]
