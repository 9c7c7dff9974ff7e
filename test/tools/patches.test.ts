import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applyPatch, type Patch } from '../../tools/patch-copy.ts'
import { patchesOf } from '../../verification/chaos/broken/copy.ts'
import { brokenNames } from '../../verification/chaos/broken/list.ts'
import { mutants } from '../../verification/mutants/list.ts'

const root = resolve(import.meta.dirname, '../..')
const readSource = (file: string): Promise<string> => readFile(join(root, file), 'utf8')

describe('a patch', () => {
  const patch: Patch = { name: 'a patch', file: 'a.ts', find: 'one', replace: "$& and '" }

  it('replaces its text by exactly the other one', () => {
    expect(applyPatch('zero one two', patch)).toBe("zero $& and ' two")
  })

  it.each([
    [0, 'two'],
    [2, 'one one'],
  ])('is rejected when its text occurs %i times', (count, source) => {
    expect(() => applyPatch(source, patch)).toThrow(`a patch: found ${count} times in a.ts`)
  })
})

// A patch names a line of the sources by its text, so a change of that line must change it too.
describe('the mutants', () => {
  it.each(mutants)('$name: applies exactly once', async (mutant) => {
    const source = await readSource(mutant.file)
    expect(applyPatch(source, mutant)).not.toBe(source)
  })

  it('have different names', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  })
})

describe('the broken clients of the chaos campaign', () => {
  it.each(brokenNames)('%s: each patch applies exactly once', async (name) => {
    const sources = new Map<string, string>()
    for (const patch of patchesOf(name)) {
      const source = sources.get(patch.file) ?? (await readSource(patch.file))
      const patched = applyPatch(source, patch)
      expect(patched).not.toBe(source)
      sources.set(patch.file, patched)
    }
  })
})
