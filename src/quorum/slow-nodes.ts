import type { Client } from '../local/client.ts'

// A node is slow if it takes this many times as long as a quorum, and this many ms more.
const [slowFactor, slowOffset] = [3, 20]

/**
 * Notes the ms that a node took to answer, and which nodes are slow, by comparison with the others. Slow
 * nodes are still asked, but last, and nobody waits for them.
 *
 * @param took - The ms that the other nodes of the round took, by index.
 */
export const noteTook = (
  { quorum, cache }: Client,
  took: number[],
  index: number,
  ms: number,
): void => {
  took[index] = ms
  const known = took.filter((one) => one !== undefined).sort((a, b) => a - b)
  if (known.length < quorum) return
  const limit = slowFactor * known[quorum - 1]! + slowOffset
  took.forEach((one, node) => (cache.slow[node] = one > limit))
}
