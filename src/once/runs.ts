import type { Claim } from '../records/claim.ts'
import { claimFingerprint, idOf } from '../records/metadata.ts'
import type { Reports } from '../records/reading.ts'
import { type RecordKey, recordLease } from '../records/record-lease.ts'
import { lookUp } from '../records/rounds.ts'
import { highestCounter } from '../vote/fencing-token.ts'
import { type Answers, quorumHolder } from '../vote/tally.ts'

// With `keepFor: 0`, a call takes the value of a run that was under way when it called, or began later. No clock
// tells that, and a record may be written again by others, so each record names its run.

const tokenOf = (run: string): number => Number(run.split(':')[1])

/** Whether a run has certainly begun after another one. */
export const isLater = (run: string, other: string): boolean =>
  tokenOf(run) > (tokenOf(other) || Infinity)

/** Names a run by its lock and its token; one that no quorum confirms counts as the lowest. */
export const nameRun = async ({ lock, token }: Claim): Promise<string> =>
  `${idOf(lock.value)}:${(await token()) ?? 0}`

/** What a call has seen of the runs for its key. */
export type Runs = {
  /**
   * Whether a run, by its name, was not over when the call began. Counters of nodes never fall, and rise each
   * time that the key comes to be held. So a run that was over has no higher token than one of a quorum,
   * and could have its claim there again only with a higher counter than its token.
   */
  readonly isFresh: (run: string) => boolean
  /**
   * Notes what nodes have answered, and asks them if that is too little.
   *
   * @returns whether a run is under way.
   */
  readonly observe: (nodes?: Reports) => Promise<boolean>
}

export const watchRuns = (request: RecordKey): Runs => {
  const { quorum, clock } = request.client
  /** The highest counter at first. */
  let counter = Infinity
  /** By the holder of a quorum: the highest counter that it had there. */
  const underWay = new Map<string, number>()
  /** @returns whether they show a run that is under way; `isClear`: with one counter, that of its token. */
  const note = (all: Reports, isClear: boolean): boolean => {
    const answers: Answers = all.filter((one) => one && !one.error)
    if (answers.length < quorum) return false
    counter = Math.min(counter, highestCounter(answers, clock.wall()))
    // A record also shows who has made it.
    const claims = answers.filter((one) => claimFingerprint(one!) !== undefined)
    const holder = quorumHolder(claims, quorum)?.holder
    if (!holder) return false
    const counters = claims.flatMap((one) => (one!.holder === holder ? one!.fence! : []))
    counters.sort((a, b) => a - b)
    const highest = counters[quorum - 1]!
    underWay.set(holder, Math.min(highest, underWay.get(holder) ?? Infinity))
    return !isClear || highest === counters[0]
  }
  return {
    isFresh: (run) => {
      const token = tokenOf(run)
      const [id] = run.split(':')
      return token > counter || token >= (underWay.get(`h${id}`) ?? Infinity)
    },
    observe: async (nodes = []) =>
      note(nodes, true) || note(await lookUp(recordLease(request)), false),
  }
}
