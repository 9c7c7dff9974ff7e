import type { Action } from './actions.ts'

/** The servers that vote. */
export const nodeCount = 5

/** Everything that a run depends on: the same settings give the same run. */
export type Settings = {
  /** The id of the scenario that the settings began with. */
  readonly scenario: string
  /** Seeds the delays of messages and the random pauses of clients. */
  readonly seed: number
  /** How many clients click. */
  readonly clients: number
  /** Ms between two clicks. */
  readonly gap: number
  /** Ms for which a client waits for the lock; 0 for one try. */
  readonly wait: number
  readonly strategy: 'parallel' | 'frugal'
  /** What a click does: it locks a key, or sends an idempotent request, whose answer is recorded. */
  readonly kind: 'lock' | 'request'
  /** How many clients may hold the lock at once: with more than one, each holder has a slot. */
  readonly limit: number
  /** Whether a waiting client asks again and again, or sleeps until a node wakes it by a message. */
  readonly waiting: 'poll' | 'wake'
  /** Ms that the nodes hold a lock. */
  readonly ttl: number
  /** Ms that a holder works before it writes. */
  readonly work: number
  /** By node: the ms of a round trip. */
  readonly latency: readonly number[]
  /** Events during the run. */
  readonly actions: readonly Action[]
}

/** A setting that is a whole number. */
export type NumberSetting = 'seed' | 'clients' | 'gap' | 'wait' | 'limit' | 'ttl' | 'work'

export type Range = { readonly min: number; readonly max: number; readonly step: number }

export const ranges: Readonly<Record<NumberSetting | 'latency', Range>> = {
  seed: { min: 1, max: 999_999, step: 1 },
  clients: { min: 1, max: 12, step: 1 },
  gap: { min: 0, max: 200, step: 5 },
  wait: { min: 0, max: 5_000, step: 250 },
  limit: { min: 1, max: 4, step: 1 },
  ttl: { min: 500, max: 10_000, step: 100 },
  work: { min: 0, max: 2_000, step: 50 },
  latency: { min: 5, max: 300, step: 5 },
}

/** No more clients than this, those that were added during the run included. */
export const maxClients = 24

export const defaults: Settings = {
  scenario: 'double-click',
  seed: 1,
  clients: 2,
  gap: 15,
  wait: 0,
  strategy: 'parallel',
  kind: 'lock',
  limit: 1,
  waiting: 'poll',
  ttl: 5_000,
  work: 1_000,
  latency: [30, 25, 35, 40, 30],
  actions: [],
}

/** How many slots the nodes have: a claim has one. */
export const slotsOf = ({ kind, limit }: Settings): number => (kind === 'lock' ? limit : 1)

/** Whether nodes wake the clients that wait: calls with a limit and idempotent requests poll. */
export const isWaking = (settings: Settings): boolean =>
  settings.waiting === 'wake' && settings.kind === 'lock' && slotsOf(settings) === 1
