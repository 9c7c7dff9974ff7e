import type { Client } from '../local/client.ts'

// A node is slow if it takes this many times as long as a quorum, and this many ms more.
const [slowFactor, slowOffset] = [3, 20]

/** The ms that the answer of a node took. */
export type Took = { readonly node: number; readonly ms: number }

/**
 * Notes the ms that a node took to answer, and which nodes are slow, by comparison with the others. Slow
 * nodes are still asked, but last, and nobody waits for them.
 *
 * @param times - Those of the round so far, in ascending order. The new one is added.
 */
export const noteTook = (
  { quorum, cache }: Client,
  times: Took[],
  node: number,
  ms: number,
): void => {
  const slowest = times.at(-1)?.ms ?? 0
  times.push({ node, ms })
  // The slowest answer usually comes last.
  if (ms < slowest) times.sort((a, b) => a.ms - b.ms)
  if (times.length < quorum) return
  const limit = slowFactor * times[quorum - 1]!.ms + slowOffset
  for (const one of times) cache.slow[one.node] = one.ms > limit
}
