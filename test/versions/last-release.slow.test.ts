import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildLastRelease, lastRelease } from '../../tools/release/last-release.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
let directory: string
beforeAll(async () => void (directory = await mkdtemp(join(tmpdir(), 'last-release-'))))
afterAll(() => rm(directory, { recursive: true, force: true }))

it('the build of the last release says what to do in a shallow clone, whose history ends before it', async () => {
  const clone = join(directory, 'shallow')
  await execa('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone])
  const building = buildLastRelease({ repository: clone })
  await expect(building).rejects.toThrow('is not in the history. This clone is shallow')
  await execa('git', ['fetch', '--quiet', '--unshallow'], { cwd: clone })
  expect(await buildLastRelease({ repository: clone })).toContain(lastRelease)
}, 60_000)
