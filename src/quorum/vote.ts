import type { Settings } from '../options/resolve-options.ts'
import type { NodeReport } from '../reports/errors.ts'

/** By node, in the order of the nodes; undefined where nothing is known yet. */
export type Answers = (NodeReport | undefined)[]

/** A quorum said yes; so many said no that none can; or so many failed that it cannot be known. */
export type Vote = 'yes' | 'no' | 'unknown'

/** The answers there are, for reports. */
export const known = (answers: Answers): NodeReport[] => answers.flatMap((answer) => answer ?? [])

/** What the answers decide; undefined while more of them can change it. */
export const voteOf = (answers: Answers, { nodes, quorum }: Settings): Vote | undefined => {
  const spare = nodes.length - quorum
  let [yes, no, failed] = [0, 0, 0]
  for (const answer of answers) {
    if (!answer) continue
    if (answer.error) failed++
    else if (answer.status === 'granted') yes++
    else no++
  }
  if (yes >= quorum) return 'yes'
  if (no > spare) return 'no'
  return no + failed > spare ? 'unknown' : undefined
}
