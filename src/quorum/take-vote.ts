import type { Operation } from '../protocol/script.ts'
import type { Lease } from './lease.ts'
import { type RoundOptions, startRound } from './round.ts'
import { type Answers, readVote, type Vote, type VoteReading } from './tally.ts'

/** One round for an operation on a lease that nodes hold already. @returns what they voted. */
export const takeVote = async (
  lease: Lease,
  operation: Operation,
  options: Omit<RoundOptions<VoteReading>, 'read'>,
): Promise<Vote> => {
  const read = (answers: Answers): VoteReading => readVote(answers, lease.client.quorum)
  return (await startRound(lease, operation, { ...options, read })).reading.vote
}
