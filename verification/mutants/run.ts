import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runAll } from '../simulation/engine/pool.ts'
import type { Mutant } from './list.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** How a mutant died: by which check, in the history of which seed; or that it did not. */
export type Fate = {
  readonly mutant: Mutant
  readonly seed?: number
  readonly check?: string
  readonly text?: string
  readonly histories: number
}

/** Removes the safeguard from a copy of the sources. @throws when it is not found exactly once. */
const mutate = async (directory: string, { name, file, find, replace }: Mutant): Promise<void> => {
  const path = join(directory, file)
  const source = await readFile(path, 'utf8')
  const count = source.split(find).length - 1
  if (count !== 1) throw new Error(`${name}: found ${count} times in ${file}, not once: ${find}`)
  await writeFile(
    path,
    source.replace(find, () => replace),
  )
}

/**
 * Simulates the sources without one safeguard, seed after seed, until a check fails. The seed is the
 * lowest that kills the mutant, however many threads there are.
 */
export const tryMutant = async (mutant: Mutant, most: number): Promise<Fate> => {
  // Inside the project, so that the copy finds the same packages.
  const directory = await mkdtemp(join(root, '.mutant-'))
  try {
    for (const part of ['src', 'tools', 'verification/simulation']) {
      await cp(join(root, part), join(directory, part), { recursive: true })
    }
    await mutate(directory, mutant)
    const file = join(directory, 'verification', 'simulation', 'engine', 'batch.ts')
    const batch = { first: 1, count: most, failures: 1 }
    const { failures, histories } = await runAll(batch, undefined, file)
    const [failure] = failures
    if (!failure) return { mutant, histories }
    const [first] = failure.violations
    return { mutant, seed: failure.seed, check: first!.check, text: first!.text, histories }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
