import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copyBroken } from '../../verification/chaos/broken/copy.ts'
import { broken, brokenNames, type Patch } from '../../verification/chaos/broken/list.ts'

const root = resolve(import.meta.dirname, '../..')

describe('npm run chaos -- --broken', () => {
  it.each(brokenNames)(
    '%s breaks a copy of the sources there only, and removes it',
    async (name) => {
      const patches: readonly Patch[] = broken[name].patches
      const copy = await copyBroken(root, name)
      try {
        for (const file of new Set(patches.map((patch) => patch.file))) {
          const [before, after] = await Promise.all(
            [root, copy.directory].map((directory) => readFile(join(directory, file), 'utf8')),
          )
          const hash = /sha: '[0-9a-f]{40}'/
          const expected = patches
            .filter((patch) => patch.file === file)
            .reduce((text, { find, replace }) => text.replace(find, () => replace), before!)
          expect(after!.replace(hash, '')).toBe(expected.replace(hash, ''))
          expect(after).not.toBe(before)
        }
        const { lockScript } = (await import(
          join(copy.directory, 'src', 'protocol', 'script.ts')
        )) as {
          lockScript: { sha: string; source: string }
        }
        expect(lockScript.sha).toBe(createHash('sha1').update(lockScript.source).digest('hex'))
      } finally {
        await copy.remove()
      }
      expect(await readdir(root)).not.toContain(basename(copy.directory))
    },
  )
})
