import type { Client } from '../local/client.ts'
import type { WaitQueue } from '../local/wait-queue.ts'
import type { Answers } from '../quorum/tally.ts'
import { stopwatch } from '../util/clock.ts'

/** A node that is asked before the others, and whose refusal is enough. */
export type Probe = {
  readonly index: number
  /** Ms until the others are asked too. Default: that of a round. */
  readonly turn?: number
  /** A holder whose refusal is not enough: an earlier attempt of the same call. */
  readonly except?: string | undefined
}

/** The first node that was not slow lately; -1 if fewer than a quorum are so, as in an outage. */
export const nodeToProbe = ({ nodes, quorum, cache }: Client): number => {
  const prompt = [...nodes.keys()].filter((index) => !cache.slow[index])
  return prompt.length < quorum ? -1 : prompt[0]!
}

// Every so many tries of a call ask all nodes, since the holder of the first may have no quorum: it may
// have died on the way to it, or its release may not have reached that node.
const askAllEvery = 4

// Ms after which the next try asks all nodes in any case: where tries are rare, four of them take long.
const maxProbing = 3_500

/**
 * Makes the function that decides for each try of one call whether it probes the first node. A frugal
 * client does so at first. A call that was refused does so where `mayProbe` allows, but for every
 * fourth try, and for a try long after the last that asked all nodes.
 *
 * @param queue - The queue of the call, whose callers share this: each may have time for one try only.
 */
export const probeChooser = (
  client: Client,
  queue: Pick<WaitQueue, 'askedAll'> = {},
): ((mayProbe: boolean | undefined) => Probe | undefined) => {
  const { nodes, strategy, clock } = client
  let tries = 0
  return (mayProbe) => {
    const isFirst = tries === 0
    const isDue = (!isFirst && tries % askAllEvery === 0) || (queue.askedAll?.() ?? 0) >= maxProbing
    const isWanted = !isDue && (mayProbe || (isFirst && strategy === 'frugal'))
    tries++
    const index = nodes[1] && isWanted ? nodeToProbe(client) : -1
    if (index >= 0) {
      queue.askedAll ??= stopwatch(clock)
      return { index }
    }
    tries = 1
    queue.askedAll = stopwatch(clock)
    return undefined
  }
}

/**
 * Whether the probed node has refused and no other node has been asked. Once others have been asked, a
 * quorum of them may grant the lease: the holder of the probed node may have seen that, and yielded.
 */
export const isRefusedByProbe = (
  probe: Probe | undefined,
  answers: Answers,
  possibleGrants: readonly number[],
): boolean => {
  const answer = probe && answers[probe.index]
  if (answer?.status !== 'locked' || answer.holder === probe!.except) return false
  return possibleGrants.every(
    (count, index) => index === probe!.index || !(count || answers[index]),
  )
}
