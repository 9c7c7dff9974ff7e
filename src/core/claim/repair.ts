import { healPauses } from '../retry/times.ts'
import { waitingFor } from '../retry/waiting.ts'
import { defer } from '../../util/clock.ts'
import { hasPromised, nodesWithout, type StoredRecord } from './reading.ts'
import { complete, prepare, type RecordKey, recordAttempt, releaseAll } from './rounds.ts'

/**
 * Writes a record that a quorum has to nodes that lack it, so that a node which fails later does not
 * take the quorum away. It does so as far as the budget of the request allows. Never rejects.
 *
 * The record keeps its token, since it is decided. A claim of our own on the node makes sure that the
 * key has not been claimed for a new request meanwhile, after the record has expired.
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

/** Writes a decided record to nodes that lack it, in the background. */
export const healLater = (
  request: RecordKey,
  record: StoredRecord,
  lacking: readonly number[],
): void => {
  if (lacking.length > 0) defer(request.waitUntil, heal(request, record, lacking))
}
