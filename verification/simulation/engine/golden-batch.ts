import { createHash } from 'node:crypto'
import { observe } from './batch.ts'

/** Histories of seeds that follow each other. */
export type GoldenBatch = { readonly first: number; readonly count: number }

/** The hash of all that a batch of histories tells, in a thread of its own. */
const hashBatch = async ({ first, count }: GoldenBatch): Promise<string> => {
  const hash = createHash('sha256')
  for (let seed = first; seed < first + count; seed++) {
    const { lines, violations } = await observe(seed, true)
    hash.update(JSON.stringify({ seed, lines, violations }))
  }
  return hash.digest('hex')
}

// A pool of threads calls what a module exports by default.
export default hashBatch
