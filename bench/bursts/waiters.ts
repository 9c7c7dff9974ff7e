import { max, median } from 'simple-statistics'
import { type Columns, figure } from '../shared/table.ts'
import { type Target, target } from '../shared/target.ts'
import type { World } from './world.ts'

/** Clients that wait for one lock and release it immediately: medians of several rounds. */
export type Waiters = {
  readonly contestant: string
  readonly size: number
  readonly rounds: number
  /** The number of clients that got it in time, in the worst round. */
  readonly granted: number
  /** Ms until the last one had released it, and the ratio to one client without contention. */
  readonly time: number
  readonly ratio: number
  /** Requests per grant. */
  readonly requests: number
  /** The median and the longest wait in ms, and their ratio. */
  readonly medianWait: number
  readonly longestWait: number
  readonly unluckiest: number
}

/** Each client takes the lock `turns` times, and releases it immediately each time. */
const takeAll = async (
  { clients, now, until, sent }: World,
  turns: number,
  keyOf: (turn: number) => string,
): Promise<{ time: number; waits: number[]; requests: number }> => {
  const waits: number[] = []
  const all = await clients()
  const begun = now()
  const taking = all.map(async (ask) => {
    for (let turn = 0; turn < turns; turn++) {
      const asked = now()
      const { state, release } = await ask(keyOf(turn))
      if (state !== 'won') return
      waits.push(now() - asked)
      await release?.()
    }
  })
  // The time is taken when the work ends, because virtual time advances in steps.
  const time = await until(Promise.all(taking).then(() => now() - begun))
  return { time, waits, requests: await sent() }
}

type Options = {
  readonly contestant: string
  readonly size: number
  readonly rounds: number
  /** How often each client takes the lock. Default: once. */
  readonly turns?: number
  /** Opens clients for a round: one without competition, or all that wait. */
  readonly open: (size: number, round: number) => Promise<World>
  readonly openAlone?: (size: number, round: number) => Promise<World>
}

// The most locks that the client without competition takes if each client takes several.
const maxAlone = 40

/** Measures waiting clients against one client that takes as many locks, on different keys, without contention. */
export const measureWaiters = async ({
  contestant,
  size,
  rounds,
  turns = 1,
  open,
  openAlone = open,
}: Options): Promise<Waiters> => {
  const all: Omit<Waiters, 'contestant' | 'size' | 'rounds' | 'unluckiest'>[] = []
  const takeIn = async (world: World, turns: number, keyOf: (turn: number) => string) => {
    try {
      return await takeAll(world, turns, keyOf)
    } finally {
      await world.close()
    }
  }
  for (let round = 0; round < rounds; round++) {
    const grants = size * turns
    const locks = turns > 1 ? Math.min(maxAlone, grants) : grants
    const alone = await takeIn(await openAlone(1, round), locks, (turn) => `turn ${turn}`)
    const { time, waits, requests } = await takeIn(await open(size, round), turns, () => 'one')
    const isDone = waits.length === grants
    const perGrant = isDone ? time / grants : Infinity
    all.push({
      granted: waits.length / turns,
      time,
      ratio: perGrant / (alone.time / locks),
      requests: requests / waits.length,
      medianWait: waits.length > 0 ? median(waits) : Infinity,
      longestWait: isDone ? max(waits) : Infinity,
    })
  }
  const medianOf = (read: (one: (typeof all)[number]) => number): number => median(all.map(read))
  return {
    contestant,
    size,
    rounds,
    granted: Math.min(...all.map(({ granted }) => granted)),
    time: medianOf(({ time }) => time),
    ratio: medianOf(({ ratio }) => ratio),
    requests: medianOf(({ requests }) => requests),
    medianWait: medianOf(({ medianWait }) => medianWait),
    longestWait: medianOf(({ longestWait }) => longestWait),
    unluckiest: medianOf(({ longestWait, medianWait }) => longestWait / medianWait),
  }
}

const labels = {
  ratio: 'time over that of one alone',
  requests: 'requests each',
  unluckiest: 'longest wait over the median',
} as const

/** The maxima by the number of waiting clients. */
export type WaiterLimits = {
  readonly [size in number]?: { readonly [figure in keyof typeof labels]?: number }
}

export const waiterTargets = (
  rows: readonly Waiters[],
  contestant: string,
  limits: WaiterLimits,
): Target[] =>
  rows
    .filter((row) => row.contestant === contestant)
    .flatMap((row) =>
      (['ratio', 'requests', 'unluckiest'] as const).flatMap((name) => {
        const most = limits[row.size]?.[name]
        const about = `${row.size} who wait, ${labels[name]} (${contestant})`
        return most === undefined ? [] : target(about, row[name], most)
      }),
    )

/** The columns of every table of waiting clients. */
export const waiterColumns: Columns<Waiters> = {
  library: ({ contestant }) => contestant,
  wait: ({ size }) => size,
  rounds: ({ rounds }) => rounds,
  'got it': ({ granted }) => granted,
  ms: ({ time }) => figure(time, 0),
  'time, against one alone': ({ ratio }) => figure(ratio),
  'requests each': ({ requests }) => figure(requests, 1),
  'longest / median wait': ({ unluckiest }) => figure(unluckiest),
}
