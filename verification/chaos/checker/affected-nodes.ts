import type { History } from './model.ts'

// Determines how many nodes were affected at which time, from the faults as they happened.

/** A period during which the same number of nodes was affected. */
export type Period = { readonly from: number; readonly until: number; readonly affected: number }

/** Divides the campaign into periods, at the beginnings and ends of faults. */
export const periodsOf = ({ faults, begin, end }: History): Period[] => {
  const onNodes = faults.filter(({ fault }) => fault.nodes.length > 0)
  const changes = onNodes
    .flatMap(({ from, until }) => [from, until])
    .filter((at) => at > begin && at < end)
  const times = [...new Set([begin, ...changes, end])].sort((a, b) => a - b)
  return times.slice(0, -1).map((from, index) => {
    const until = times[index + 1]!
    const hit = onNodes.filter((one) => one.from <= from && one.until >= until)
    return { from, until, affected: new Set(hit.flatMap(({ fault }) => fault.nodes)).size }
  })
}

/** The periods with a matching number of affected nodes; adjacent ones are merged. */
export const periodsWith = (
  periods: readonly Period[],
  matches: (affected: number) => boolean,
): { from: number; until: number }[] => {
  const merged: { from: number; until: number }[] = []
  for (const { from, until, affected } of periods) {
    if (!matches(affected)) continue
    const last = merged.at(-1)
    if (last?.until === from) last.until = until
    else merged.push({ from, until })
  }
  return merged
}
