import { groupByKeys } from './group-by.ts'
import type { Hold } from './records.ts'

type Period = { readonly from: number; readonly until: number }

/** For each period, as it begins: those that go on then, with itself as the last. */
export const crowdsOf = <T extends Period>(periods: readonly T[]): T[][] => {
  let going: T[] = []
  return periods
    .filter(({ from, until }) => from < until)
    .sort((a, b) => a.from - b.from)
    .map((one) => {
      going = [...going.filter(({ until }) => one.from < until), one]
      return going
    })
}

/** Two holds of one key by different locks at the same time. */
export type Rivals = { readonly key: string; readonly first: Hold; readonly second: Hold }

/** Exclusion: for each hold that begins during another one, the latter that lasts longest. */
export const rivalsOf = (holds: readonly Hold[]): Rivals[] =>
  [...groupByKeys(holds)].flatMap(([key, group]) =>
    crowdsOf(group).flatMap((crowd) => {
      const second = crowd.at(-1)!
      const [first] = crowd
        .filter(({ value }) => value !== second.value)
        .sort((a, b) => b.until - a.until)
      return first ? { key, first, second } : []
    }),
  )
