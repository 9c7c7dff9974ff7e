import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom } from '../../tools/random.ts'
import type { ObjectWorker } from './start.ts'

/** A lock of the crowd, in ms of one monotonic clock: from the answer that granted it to its release. */
type Holding = {
  readonly key: string
  readonly token: number
  readonly from: number
  readonly until: number
}

/** What a crowd has seen. */
export type Seen = {
  readonly holdings: readonly Holding[]
  readonly evictions: number
  /** The calls for which too few objects answered. */
  readonly unavailable: number
}

type Answer = {
  readonly ok: boolean
  readonly token: number
  readonly lock: object
  readonly reason?: string
}

const clients = 6
const keys = ['a', 'b']
const ttl = 30_000

/** Lets clients compete for locks until enough was seen, while objects are evicted at random. */
export const crowd = async (
  objects: ObjectWorker,
  seed: number,
  isEnough: (holdings: readonly Holding[]) => boolean,
): Promise<Seen> => {
  const random = randomFrom(seed)
  const holdings: Holding[] = []
  let [evictions, unavailable] = [0, 0]
  const isOver = (): boolean => isEnough(holdings)
  const client = async (): Promise<void> => {
    while (!isOver()) {
      const key = random.pick(keys)
      const answer = await objects.post<Answer>(`/acquire/${seed}-${key}?ttl=${ttl}`)
      if (!answer.ok) {
        if (answer.reason === 'unavailable') unavailable++
        await sleep(random.between(5, 20))
        continue
      }
      const from = performance.now()
      await sleep(random.between(5, 60))
      const until = performance.now()
      holdings.push({ key, token: answer.token, from, until })
      // What an eviction keeps from being released expires, so a key is free again before long.
      for (let tries = 0; tries < 10; tries++) {
        const released = await objects.post<{ result: string }>(
          '/release',
          JSON.stringify(answer.lock),
        )
        if (released.result === 'released') break
      }
    }
  }
  const nemesis = async (): Promise<void> => {
    while (!isOver()) {
      await objects.post(`/evict/${random.whole(0, 2)}`)
      evictions++
      await sleep(random.between(0, 30))
    }
  }
  await Promise.all([nemesis(), ...Array.from({ length: clients }, client)])
  return { holdings, evictions, unavailable }
}

/** Two holders at a time, and tokens that do not rise, one line each. A token of 0 was not confirmed. */
export const violationsOf = (holdings: readonly Holding[]): string[] =>
  keys.flatMap((key) => {
    const own = holdings.filter((one) => one.key === key).toSorted((a, b) => a.from - b.from)
    const violations: string[] = []
    let token = 0
    for (const [index, holding] of own.entries()) {
      const before = own[index - 1]
      if (before && before.until > holding.from) violations.push(`two holders of ${key}`)
      if (holding.token !== 0 && holding.token <= token) violations.push(`a token of ${key} fell`)
      token = Math.max(token, holding.token)
    }
    return violations
  })
