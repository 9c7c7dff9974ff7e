import type { Claim } from '../records/claim.ts'
import { claimFingerprint, idOf } from '../records/metadata.ts'
import { type RecordKey, recordLease } from '../records/record-lease.ts'
import { lookUp } from '../records/rounds.ts'
import { highestCounter } from '../vote/fencing-token.ts'

// With `keepFor: 0`, a call takes the value of a run that was under way when it called, or began later. No clock
// tells that, and a record may be written again by others, so each record names its run.

/** Whether a run, by its name, was not over when the call began. */
export type Since = (run: string) => boolean

const tokenOf = (run: string): number => Number(run.split(':')[1])

/** Whether a run has certainly begun after another one. */
export const isLater = (run: string, other: string): boolean =>
  tokenOf(run) > (tokenOf(other) || Infinity)

/** Names a run by its lock and its token; one that no quorum confirms counts as the lowest. */
export const nameRun = async ({ lock, token }: Claim): Promise<string> =>
  `${idOf(lock.value)}:${(await token()) ?? 0}`

/**
 * Looks at a quorum of nodes; undefined where too few answer. Counters of nodes never fall, and rise each time that
 * the key comes to be held. So a run that was over has no higher token than one of these nodes, and
 * could have its claim on a quorum again only with a higher counter than its token.
 */
export const lookSince = async (request: RecordKey): Promise<Since | undefined> => {
  const answers = await lookUp(recordLease(request))
  const { quorum, clock } = request.client
  const seen = answers.flatMap((answer) => (answer && !answer.error ? answer : []))
  if (seen.length < quorum) return undefined
  const counter = highestCounter(answers, clock.wall())
  return (run) => {
    const [id] = run.split(':')
    const token = tokenOf(run)
    const isClaim = (answer: (typeof seen)[0]): boolean =>
      answer.holder === `h${id}` && claimFingerprint(answer) !== undefined && answer.fence! <= token
    return token > counter || seen.filter(isClaim).length >= quorum
  }
}
