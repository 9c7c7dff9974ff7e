import { claimFingerprint, idOf } from '../records/metadata.ts'
import { type RecordKey, recordLease } from '../records/record-lease.ts'
import { lookUp } from '../records/rounds.ts'
import { highestCounter } from '../vote/fencing-token.ts'
import { quorumHolder } from '../vote/tally.ts'
import type { Lock } from '../lock/lock.ts'

// With `keepFor: 0`, a call takes the value of a run that was under way when it called, or began later. No clock
// tells that, and a record may be written again by others, so each record names its run.

/** Whether a run, by its name, was not over when the call began. */
export type Since = (run: string) => boolean

/** Names a run by its lock and its fencing token; a token that nodes do not confirm counts as the lowest. */
export const nameRun = async (lock: Lock): Promise<string> =>
  `${idOf(lock.value)}:${await lock.fencingToken().catch(() => 0)}`

/**
 * Looks at a quorum of nodes; undefined where too few answer. A run that was over has a lower token than one of
 * their counters, since a quorum of nodes has promised it, and their counters never fall.
 */
export const lookSince = async (request: RecordKey): Promise<Since | undefined> => {
  const answers = await lookUp(recordLease(request))
  const { quorum, clock } = request.client
  if (answers.filter((answer) => answer && !answer.error).length < quorum) return undefined
  const counter = highestCounter(answers, clock.wall())
  // A record also shows who has made it.
  const claims = answers.filter((answer) => answer && claimFingerprint(answer))
  const running = quorumHolder(claims, quorum)?.holder
  return (run) => {
    const [id, token] = run.split(':')
    return `h${id}` === running || Number(token) > counter
  }
}
