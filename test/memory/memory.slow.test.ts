import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type MemoryCaseName, memoryCases } from './cases.ts'

const file = fileURLToPath(new URL('process.ts', import.meta.url))

// In bytes. A process that has done anything at all has compiled code: 1.2 MB.
const maxGrowth: Readonly<Record<MemoryCaseName, number>> = {
  'windows with long keys': 6_000_000,
  'windows of many sets of nodes': 6_000_000,
  'sets of nodes with long prefixes': 3_000_000,
  'tokens and urls': 3_000_000,
  'texts of one long request': 6_000_000,
  'calls that waited in vain': 2_500_000,
  'locks that were held': 2_500_000,
}

/** By how many bytes the heap of a process grows that runs the case. */
const measure = async (name: string): Promise<number> => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', file, name])
  return Number(stdout)
}

describe('the memory of an isolate', () => {
  it.each(Object.keys(memoryCases) as MemoryCaseName[])(
    'is bounded: %s',
    async (name) => {
      const growth = await measure(name)
      expect(growth).toBeGreaterThan(0)
      expect(growth).toBeLessThan(maxGrowth[name])
    },
    60_000,
  )
})
