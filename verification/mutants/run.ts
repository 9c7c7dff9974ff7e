import { join } from 'node:path'
import { copyWithPatches, type Patch } from '../../tools/patch-copy.ts'
import { runAll } from '../simulation/engine/pool.ts'

/** The check that killed a mutant and the seed of the history, or neither if it survived. */
export type Fate = {
  readonly mutant: Patch
  readonly seed?: number
  readonly check?: string
  readonly text?: string
  readonly histories: number
}

/**
 * Simulates the sources without one safeguard, seed after seed, until a check fails. The seed is the
 * lowest that kills the mutant, however many threads there are.
 */
export const tryMutant = async (mutant: Patch, maxHistories: number): Promise<Fate> => {
  const copy = await copyWithPatches({
    folders: ['src', 'tools', 'verification/simulation'],
    patches: [mutant],
    prefix: '.mutant-',
  })
  try {
    const file = join(copy.directory, 'verification', 'simulation', 'engine', 'batch.ts')
    const batch = { scenario: 'mixed', first: 1, count: maxHistories, failures: 1 } as const
    const { failures, histories } = await runAll(batch, undefined, file)
    const [failure] = failures
    if (!failure) return { mutant, histories }
    const [first] = failure.violations
    return { mutant, seed: failure.seed, check: first!.check, text: first!.text, histories }
  } finally {
    await copy.remove()
  }
}
