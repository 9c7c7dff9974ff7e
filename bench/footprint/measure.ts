import { randomUUID } from 'node:crypto'
import type {
  Contestant,
  Hold,
  Session,
} from '../../verification/comparison/contestants/contestant.ts'
import { type Address, faultyNode } from '../../verification/comparison/nodes.ts'
import { settle } from '../../verification/comparison/observation.ts'
import { passes } from '../shared/throttle.ts'
import { openData, type StoredData } from './stored-data.ts'

/** The data that one library stores on a server, in bytes. */
export type Footprint = {
  readonly contestant: string
  /** Whether the library has no throttle: then an unreleased lock replaces it. */
  readonly isEmulated: boolean
  readonly held: number
  /** Everything that a released lock leaves behind. */
  readonly released: number
  /** The part of it that is the fence; undefined if the library has none. */
  readonly fence: number | undefined
  readonly refused: number
  readonly throttle: number
  /** The bytes that remain in the steady state of `locksPerDay`, without keys that have expired by then. */
  readonly steady: number
}

const locksPerDay = 1_000_000
const locksPerSecond = locksPerDay / 86_400

const ttl = 10_000
const window = 600_000
// The number of concurrent calls.
const parallel = 50

/** Does the work `count` times, a few at a time. */
const times = async <T>(count: number, work: () => Promise<T>): Promise<T[]> => {
  const results: T[] = []
  let started = 0
  const doNext = async (): Promise<void> => {
    while (started < count) {
      started++
      results.push(await work())
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallel, count) }, doNext))
  return results
}

const assertAll = (outcomes: readonly boolean[], what: string, { name }: Contestant): void => {
  if (outcomes.includes(false)) throw new Error(`${name}: ${what} had another outcome`)
}

/**
 * The bytes that remain in the steady state. The number of keys of each kind is the number of releases during the
 * lifetime of one key.
 */
const steadyState = async (data: StoredData, before: number): Promise<number> => {
  const keys = await data.keys()
  let missing = 0
  for (const kind of new Set(keys.map((key) => key.kind))) {
    const ofKind = keys.filter((key) => key.kind === kind && key.left >= 0)
    const life = Math.max(0, ...ofKind.map(({ left }) => left)) / 1000
    const alive = Math.ceil(life * locksPerSecond)
    await data.remove(ofKind.slice(alive))
    missing += Math.max(0, alive - ofKind.length)
  }
  const bytes = (await data.bytes()) - before
  // Extrapolates if keys live so long that there are more of them than were measured.
  const kept = (await data.keys()).length
  return kept > 0 ? bytes * ((kept + missing) / kept) : 0
}

/** Measures one library. Locks have metadata of 2,000 characters if the library supports it. */
export const footprintOf = async (
  contestant: Contestant,
  address: Address,
  { released: releases, others: count }: { readonly released: number; readonly others: number },
): Promise<Footprint> => {
  const { lacks, name } = contestant
  const open = (): Promise<Session> | Session =>
    contestant.open({
      nodes: [faultyNode(address)],
      ttl: 600_000,
      retries: 0,
      // Bytes do not depend on the speed of the machine, so a slow reply counts.
      timeout: 60_000,
      quorum: undefined,
    })
  const data = openData(address)
  const [session, other] = [await open(), await open()]
  const options = lacks.metadata ? {} : { metadata: 'm'.repeat(2_000) }
  const acquire = (): Promise<Hold> => session.acquire([randomUUID()], options)
  /** The bytes that the work has added. */
  const measure = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await start()
    await work()
    return (await data.bytes()) - before
  }
  /** Leaves only the data that a server keeps forever. */
  const start = async (): Promise<number> => {
    await data.clear()
    await (await acquire()).release()
    await data.remove((await data.keys()).filter(({ left }) => left >= 0))
    return data.bytes()
  }
  try {
    let holds: Hold[] = []
    const held = await measure(async () => (holds = await times(count, acquire)))
    await times(holds.length, async () => holds.pop()!.release())

    const before = await start()
    await times(releases, async () => (await acquire()).release())
    const released = (await data.bytes()) - before
    const steady = await steadyState(data, before)
    const withFences = await data.bytes()
    const fences = (await data.keys()).filter(({ kind }) => kind === 'fence')
    await data.remove(fences)
    const fence = fences[0] && (withFences - (await data.bytes())) / fences.length

    let refusals: boolean[] = []
    const key = randomUUID()
    const refused = await measure(async () => {
      const hold = await other.acquire([key])
      const refuse = async () => (await settle(session.acquire([key]), ttl)).state === 'rejected'
      refusals = await times(count, refuse)
      await hold.release()
      await data.remove((await data.keys()).filter(({ name }) => name.includes(key)))
    })
    assertAll(refusals, 'a refusal', contestant)

    let passed: boolean[] = []
    const throttle = await measure(async () => {
      passed = await times(count, () => passes(session, randomUUID(), window))
    })
    assertAll(passed, 'a throttle', contestant)
    return {
      contestant: name,
      isEmulated: !session.throttle,
      held: held / count,
      released: released / releases,
      fence,
      refused: refused / count,
      throttle: throttle / count,
      steady,
    }
  } finally {
    session.close()
    other.close()
    data.close()
  }
}
