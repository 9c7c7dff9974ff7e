import { createHash } from 'node:crypto'
import type { ScenarioChoice } from '../scenarios/names.ts'
import { observe } from './batch.ts'

/** A range of seeds: `count` seeds from `first` on. */
export type GoldenBatch = {
  readonly scenario: ScenarioChoice
  readonly first: number
  readonly count: number
}

/** Hashes the traces and violations of a batch of histories, in a thread of its own. */
const hashBatch = async ({ scenario, first, count }: GoldenBatch): Promise<string> => {
  const hash = createHash('sha256')
  for (let seed = first; seed < first + count; seed++) {
    const { lines, violations } = await observe(seed, scenario, true)
    hash.update(JSON.stringify({ seed, lines, violations }))
  }
  return hash.digest('hex')
}

// The thread pool calls the default export of a module.
export default hashBatch
