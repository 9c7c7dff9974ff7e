import type { Measured } from '../bursts/measured.ts'
import { limitWhere, sickLabels } from '../bursts/sick-nodes.ts'
import { limitTargets, oneWinnerTargets } from '../bursts/targets.ts'
import { isOwn } from '../shared/own.ts'
import type { Target } from '../shared/target.ts'

/**
 * The targets: every burst of this project has one winner. With a slow node, its times and requests are close to
 * those without, even if no client has met that node before.
 */
export const targetsOf = (bursts: readonly Measured[], fresh: readonly Measured[]): Target[] => {
  const all = [...bursts, ...fresh].filter(isOwn)
  return [...oneWinnerTargets(all), ...limitTargets(all, sickLabels, limitWhere)]
}
