import type { Measured } from '../bursts/measured.ts'
import { limitWhere, sickLabels } from '../bursts/sick-nodes.ts'
import { limitTargets, oneWinnerTargets } from '../bursts/targets.ts'
import { isOwn } from '../shared/own.ts'
import type { Target } from '../shared/target.ts'

/**
 * The targets: every burst of this project has one winner, its times and requests with a sick node
 * are near those without, also if no client has met that node before.
 */
export const targetsOf = (bursts: readonly Measured[], fresh: readonly Measured[]): Target[] => {
  const all = [...bursts, ...fresh].filter(isOwn)
  return [...oneWinnerTargets(all), ...limitTargets(all, sickLabels, limitWhere)]
}
