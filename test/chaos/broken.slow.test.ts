import { readdir, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { generateScripts } from '../../tools/lua/generate.ts'
import { copyBroken } from '../../verification/chaos/broken/copy.ts'
import { broken, brokenNames, type Patch } from '../../verification/chaos/broken/list.ts'

const root = resolve(import.meta.dirname, '../..')

describe('npm run verify -- chaos --broken', () => {
  it.each(brokenNames)(
    '%s patches a copy of the sources, and removes it afterwards',
    async (name) => {
      const patches: readonly Patch[] = broken[name].patches
      const copy = await copyBroken(name)
      try {
        for (const file of new Set(patches.map((patch) => patch.file))) {
          const [before, after] = await Promise.all(
            [root, copy.directory].map((directory) => readFile(join(directory, file), 'utf8')),
          )
          const expected = patches
            .filter((patch) => patch.file === file)
            .reduce((text, { find, replace }) => text.replace(find, () => replace), before!)
          expect(after).toBe(expected)
          expect(after).not.toBe(before)
        }
        for (const { file, text } of await generateScripts(copy.directory)) {
          expect(await readFile(join(copy.directory, file), 'utf8')).toBe(text)
          // Two modules have the hashes of scripts of the protocol.
          const isBroken = patches.some((patch) =>
            /(command-version|prelude)\.ts$/.test(file)
              ? /^src\/redis\/scripts\/.*lua$/.test(patch.file)
              : patch.file === file.replace('-script.ts', '.lua'),
          )
          expect(text !== (await readFile(join(root, file), 'utf8'))).toBe(isBroken)
        }
      } finally {
        await copy.remove()
      }
      expect(await readdir(root)).not.toContain(basename(copy.directory))
    },
  )
})
