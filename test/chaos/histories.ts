import type { Entry, HistoryEvent } from '../../verification/chaos/campaign/events.ts'
import type { KeyKind } from '../../verification/chaos/campaign/settings.ts'
import { check } from '../../verification/chaos/checker/check.ts'
import type { Fault } from '../../verification/chaos/nemesis/fault.ts'
import type { ClientRecord, Step } from '../../verification/history/records.ts'

// Handmade histories. Times in ms since the beginning.

/** A campaign of one minute, with its processes and the given events. */
export const historyOf = (
  events: readonly HistoryEvent[],
  stores: Readonly<Record<string, readonly Entry[]>>,
): HistoryEvent[] => [
  {
    type: 'run',
    at: -20_000,
    seed: 1,
    minutes: 1,
    broken: null,
    network: 'proxy',
    clocks: true,
    ttl: 2000,
    driftFactor: 0.01,
    nodes: ['a', 'b', 'c', 'd', 'e'],
  },
  ...['one', 'two', 'three'].map((process, pid): HistoryEvent => ({
    type: 'process',
    at: -5000,
    process: `${process}.1`,
    pid: pid + 1,
    runtime: 'Node',
    resolution: 0,
    isComplete: true,
    roundTrip: 0,
  })),
  {
    type: 'process',
    at: -5000,
    process: 'worker.1',
    pid: 4,
    runtime: 'workerd',
    resolution: 2,
    isComplete: false,
    roundTrip: 0,
  },
  { type: 'begin', at: 0 },
  { type: 'lifetimes', at: 500, node: 'a', longest: 1990 },
  ...events,
  { type: 'end', at: 60_000 },
  ...Object.entries(stores).map(([key, entries]): HistoryEvent => ({
    type: 'store',
    at: 61_000,
    key,
    kind: key.split('-')[0] as KeyKind,
    entries,
  })),
]

/** The keys of a call are those of its operation. */
type Timed = Step extends infer One
  ? One extends { type: 'called' }
    ? Omit<One, 'keys'> & { ms: number }
    : One & { ms: number }
  : never

/** The steps of one operation. Its name begins with those of the process and client: `one.1/0#1`. */
export const steps = (op: string, key: string, list: readonly Timed[]): ClientRecord[] =>
  list.map(({ ms, ...step }) => {
    const keys = step.type === 'called' && { keys: [key] }
    return { ...(step as Step), ...keys, at: ms, process: op.split('/')[0]!, op }
  })

/** A complete operation, with a step every ms unless stated otherwise. */
export const whole = (
  op: string,
  key: string,
  times: {
    from: number
    token: number
    n: number
    by: string | null
    wroteAt?: number
    validUntil?: number
    releasedAt?: number
  },
): ClientRecord[] => {
  const { from, token, n, by } = times
  const { wroteAt = from + 5, validUntil = from + 1978, releasedAt = wroteAt + 2 } = times
  return steps(op, key, [
    { ms: from, type: 'called', kind: key.split('-')[0] as KeyKind },
    { ms: from + 1, type: 'acquired', validUntil },
    { ms: from + 2, type: 'token', token },
    { ms: from + 3, type: 'read', n: n - 1, by },
    { ms: wroteAt - 1, type: 'writing', n },
    { ms: wroteAt, type: 'written' },
    { ms: releasedAt, type: 'releasing' },
    { ms: releasedAt + 1, type: 'released', result: 'released' },
  ])
}

export const entry = (n: number, op: string, previous: string | null, token: number): Entry => ({
  n,
  op,
  previous,
  token,
})

/** The events of a fault, as the nemesis writes them down. */
export const faultOf = (
  description: Partial<Fault> & Pick<Fault, 'kind' | 'from' | 'until'> & { pid?: number },
): HistoryEvent[] => {
  const { pid, ...given } = description
  const fault = { id: given.from, nodes: [], abstains: 0, processes: [], amount: 1, ...given }
  const hit = pid === undefined ? {} : { pid, isHolding: true }
  return [
    { type: 'fault', at: fault.from, fault, ...hit },
    { type: 'healed', at: fault.until, fault },
  ]
}

/** An acquire that takes so many ms without any fault, and shows how fast the machine is. */
export const usual = (took: number): ClientRecord[] =>
  steps('three.1/0#1', 'private-three.1/0', [
    { ms: 3000, type: 'called', kind: 'private' },
    { ms: 3000 + took, type: 'acquired', validUntil: 4978 },
  ])

/** How a client of a burst fares; its answer comes so many ms after its call. */
export type Contender = {
  readonly process: string
  readonly took: number
  readonly isRefused?: boolean
  readonly late?: number
  readonly lost?: Partial<Extract<Step, { type: 'lost' }>> & { readonly ms: number }
  readonly extendingAt?: number
}

/** A burst: its clients ask at the same moment. Whoever is not refused holds the lock for 500 ms. */
export const burst = (
  name: number,
  from: number,
  contenders: readonly Contender[],
): ClientRecord[] =>
  contenders.flatMap(({ process, took, isRefused, late = 0, lost, extendingAt }) => {
    const op = `${process}/burst-0#${name}`
    const ms = from + took
    const called = { ms: from, type: 'called', kind: 'burst', validity: 990 } as const
    if (isRefused) {
      const text = 'locked (a locked, b locked, c locked)'
      return steps(op, `burst-${name}`, [
        called,
        { ms, type: 'refused', reason: 'locked', text, late },
      ])
    }
    return steps(op, `burst-${name}`, [
      called,
      { ms, type: 'acquired', validUntil: from + 988, late },
      ...(extendingAt === undefined ? [] : [{ ms: extendingAt, type: 'extending' } as const]),
      ...(lost ? [{ type: 'lost', ...lost } as const] : []),
      { ms: lost?.ms ?? ms + 500, type: 'releasing' },
    ])
  })

/** A client that has a slot, such as `slots-2#1`, for 300 ms. */
export const slotHolder = (op: string, slot: string, from: number): ClientRecord[] =>
  steps(op, slot.split('#')[0]!, [
    { ms: from, type: 'called', kind: 'slots' },
    { ms: from + 10, type: 'acquired', validUntil: from + 1_900, keys: [slot] },
    { ms: from + 310, type: 'releasing' },
    { ms: from + 315, type: 'released', result: 'released' },
  ])

/** Two correct operations on each kind of key, one after the other; all slots; and a burst. */
export const clean = {
  events: [
    ...['guarded-1', 'plain-1'].flatMap((key) =>
      [
        whole(`one.1/0#${key}`, key, { from: 1000, token: 10, n: 1, by: null }),
        whole(`two.1/0#${key}`, key, { from: 2000, token: 11, n: 2, by: `one.1/0#${key}` }),
      ].flat(),
    ),
    ...slotHolder('one.1/0#slots-2', 'slots-2#1', 100),
    ...slotHolder('two.1/0#slots-2', 'slots-2#2', 100),
    ...slotHolder('one.1/0#slots-3', 'slots-3#1', 500),
    ...slotHolder('two.1/0#slots-3', 'slots-3#2', 500),
    ...slotHolder('three.1/0#slots-3', 'slots-3#3', 500),
    ...burst(1, 1500, [
      { process: 'one.1', took: 10 },
      { process: 'two.1', took: 20, isRefused: true },
    ]),
  ],
  stores: Object.fromEntries(
    ['guarded-1', 'plain-1'].map((key): [string, Entry[]] => {
      const [first, second] = [`one.1/0#${key}`, `two.1/0#${key}`]
      return [key, [entry(1, first, null, 10), entry(2, second, first, 11)]]
    }),
  ),
}

export type Stores = Readonly<Record<string, readonly Entry[]>>

/** The violations found when these events are added to a clean history. */
export const found = (events: readonly HistoryEvent[], stores: Stores = {}): string[] =>
  check(historyOf([...clean.events, ...events], { ...clean.stores, ...stores })).violations.map(
    (violation) => violation.check,
  )
