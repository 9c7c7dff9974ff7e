import type { Weather } from './weather.ts'

/** The number of bursts, and the number of bursts with too few winners. */
export type WinnerCount = { readonly bursts: number; readonly lost: number }

/** By the kind of weather. */
export type WinnerCounts = Map<Weather, WinnerCount>

export const addWinnerCounts = (
  total: WinnerCounts,
  more: Iterable<readonly [Weather, WinnerCount]>,
): void => {
  for (const [weather, { bursts, lost }] of more) {
    const before = total.get(weather) ?? { bursts: 0, lost: 0 }
    total.set(weather, { bursts: before.bursts + bursts, lost: before.lost + lost })
  }
}
