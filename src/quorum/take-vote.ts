import type { Operation } from '../protocol/script.ts'
import type { Lease } from './lease.ts'
import { type RoundOptions, startRound } from './round.ts'
import { readVote, type Vote, type VoteReading } from './tally.ts'

/** One round for an operation on a lease that nodes hold already. @returns what they voted. */
export const takeVote = async (
  lease: Lease,
  operation: Operation,
  options: Omit<RoundOptions<VoteReading>, 'read'>,
): Promise<Vote> => {
  const { vote } = await startRound(lease, operation, {
    ...options,
    read: (answers) => readVote(answers, lease.client.quorum),
  })
  return vote
}
