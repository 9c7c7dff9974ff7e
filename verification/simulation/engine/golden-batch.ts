import { createHash } from 'node:crypto'
import { newIdentity } from '../../../src/core/distinct-servers.ts'
import type { ScenarioChoice } from '../scenarios/names.ts'
import { observe } from './batch.ts'

/** A range of seeds: `count` seeds, starting with `first`. */
export type GoldenBatch = {
  readonly scenario: ScenarioChoice
  readonly first: number
  readonly count: number
}

// The IDs that servers adopt start with a counter of the thread, so they depend on the previous histories.
crypto.randomUUID = () => 'isolate0-0000-4000-8000-000000000000'
const identity = new RegExp(String.raw`\b\d+${newIdentity().slice(0, 8)}[0-9a-z]{1,4}\b`, 'g')

/** Replaces the IDs in a trace with numbers, in order of appearance. */
const withOwnIds = (lines: readonly string[]): string[] => {
  const ids = new Map<string, string>()
  const numberOf = (id: string): string => {
    const known = ids.get(id) ?? `id${ids.size + 1}`
    ids.set(id, known)
    return known
  }
  return lines.map((line) => line.replace(identity, numberOf))
}

/** The time of a line, to a tenth of a millisecond. */
const timeOf = (line: string): number => Number(line.slice(0, 10))

/**
 * Sorts lines with the same time, so that the order of promise callbacks within an event does not matter. Otherwise,
 * extracting an async function would change the hash.
 */
const inOrder = (lines: readonly string[]): string[] =>
  lines.toSorted((a, b) => timeOf(a) - timeOf(b) || (a < b ? -1 : 1))

/** Hashes the traces and violations of a batch of histories, in a separate thread. */
const hashBatch = async ({ scenario, first, count }: GoldenBatch): Promise<string> => {
  const hash = createHash('sha256')
  for (let seed = first; seed < first + count; seed++) {
    const { lines, violations } = await observe(seed, scenario, true)
    hash.update(JSON.stringify({ seed, lines: inOrder(withOwnIds(lines)), violations }))
  }
  return hash.digest('hex')
}

// The thread pool calls the default export of a module.
export default hashBatch
