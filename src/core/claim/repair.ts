import { healPauses } from '../retry/times.ts'
import { waitingFor } from '../retry/waiting.ts'
import { defer } from '../../util/clock.ts'
import { hasPromised, nodesWithout, type StoredRecord } from './reading.ts'
import { complete, prepare, type RecordKey, recordAttempt, releaseAll } from './rounds.ts'

/**
 * Copies a record that a quorum stores to nodes that lack it, so that a quorum survives the later failure of a node.
 * Stops when the budget of the request is used up. Never rejects.
 *
 * The copies have the same token, because the record is decided. In the meantime, the record may have expired and
 * another request may have claimed the key. To rule this out, the function first claims the key on each node.
 */
export const heal = async (
  request: RecordKey,
  record: StoredRecord,
  indexes: readonly number[],
): Promise<void> => {
  const { clock } = request.client
  const { pause } = waitingFor(clock)
  let asked = indexes
  for (const ms of healPauses) {
    if (asked.length === 0) return
    await pause(ms)
    const lease = recordAttempt(request)
    if (!lease.subject.budget.affords(lease.mayHold.length)) return
    const answers = await prepare(lease, clock.wall(), asked)
    const ready = nodesWithout(answers, record).filter((index) => hasPromised(answers[index]))
    for (const index of ready) {
      await complete(lease, answers[index]!.fence!, record, { asked: [index] })
    }
    releaseAll(lease)
    asked = nodesWithout(answers, record).filter((index) => !hasPromised(answers[index]))
  }
}

/** Writes a record that a quorum stores to nodes that lack it, in the background. */
export const healLater = (
  request: RecordKey,
  record: StoredRecord,
  lacking: readonly number[],
): void => {
  if (lacking.length > 0) defer(request.waitUntil, heal(request, record, lacking))
}
