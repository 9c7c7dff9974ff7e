import type { History } from './model.ts'

// How many nodes were affected when, by the faults as they really were.

export type Spell = { readonly from: number; readonly until: number; readonly affected: number }

/** The whole campaign, cut where a fault began or was over. */
export const spellsOf = ({ faults, begin, end }: History): Spell[] => {
  const onNodes = faults.filter(({ fault }) => fault.nodes.length > 0)
  const cuts = onNodes
    .flatMap(({ from, until }) => [from, until])
    .filter((at) => at > begin && at < end)
  const times = [...new Set([begin, ...cuts, end])].sort((a, b) => a - b)
  return times.slice(0, -1).map((from, index) => {
    const until = times[index + 1]!
    const hit = onNodes.filter((one) => one.from <= from && one.until >= until)
    return { from, until, affected: new Set(hit.flatMap(({ fault }) => fault.nodes)).size }
  })
}

/** Spells that fit, each as long as can be. */
export const spellsWith = (
  spells: readonly Spell[],
  fits: (affected: number) => boolean,
): { from: number; until: number }[] => {
  const merged: { from: number; until: number }[] = []
  for (const { from, until, affected } of spells) {
    if (!fits(affected)) continue
    const last = merged.at(-1)
    if (last?.until === from) last.until = until
    else merged.push({ from, until })
  }
  return merged
}
