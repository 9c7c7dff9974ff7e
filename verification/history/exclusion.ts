import { crowdsBeyond, crowdsOf } from './crowds.ts'
import type { Finding, ShowTime } from './finding.ts'
import { groupByKeys } from './group-by.ts'
import type { Hold } from './holds.ts'

const textOf = ({ operation, from, until }: Hold, show: ShowTime): string =>
  `${operation.op} from ${show(from)} to ${show(until)}`

/**
 * No two locks of one key are held at the same time. A finding pairs a hold that begins during others with the
 * longest-lasting one of them.
 */
export const checkExclusion = (holds: readonly Hold[], show: ShowTime): Finding[] =>
  [...groupByKeys(holds)].flatMap(([key, group]) =>
    crowdsOf(group).flatMap((crowd) => {
      const second = crowd.at(-1)!
      const [first] = crowd
        .filter(({ value }) => value !== second.value)
        .sort((a, b) => b.until - a.until)
      if (!first) return []
      const text = `${key} is held by ${textOf(first, show)}, and by ${textOf(second, show)}`
      return { check: 'exclusion', text, involved: [first.operation, second.operation] }
    }),
  )

/** The holders of one key with slots. */
export type SlotHolders = {
  readonly findings: readonly Finding[]
  /** The number of locks, and the most that were held at the same time while within the limit. */
  readonly locks: number
  readonly most: number
}

/** The holders of a key never outnumber its slots: `k#1` to `k#N` are the slots of `k`. */
export const checkSlotHolders = (
  holds: readonly Hold[],
  { key, limit }: { readonly key: string; readonly limit: number },
  show: ShowTime,
): SlotHolders => {
  const own = holds.filter(
    ({ keys, from, until }) => from < until && keys[0]!.startsWith(`${key}#`),
  )
  const { beyond, most } = crowdsBeyond(own, limit)
  const findings = beyond.map((crowd) => ({
    check: 'holders',
    text: `${crowd.length} of at most ${limit} hold ${key}: ${crowd.map((one) => textOf(one, show)).join(', ')}`,
    involved: crowd.map(({ operation }) => operation),
  }))
  return { findings, locks: own.length, most }
}
