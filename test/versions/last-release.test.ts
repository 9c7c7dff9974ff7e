import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildLastRelease } from '../../tools/release/last-release.ts'

let directory: string
beforeAll(async () => void (directory = await mkdtemp(join(tmpdir(), 'last-release-'))))
afterAll(() => rm(directory, { recursive: true, force: true }))

describe('the build of the last release', () => {
  it('says what to do where there is no history', async () => {
    const building = buildLastRelease({ repository: directory })
    await expect(building).rejects.toThrow('This is no git clone')
  })

  it('says what to do where the commit is not in the history', async () => {
    const commit = '0123456789abcdef0123456789abcdef01234567'
    await expect(buildLastRelease({ commit })).rejects.toThrow(`git fetch origin ${commit}`)
  })
})
