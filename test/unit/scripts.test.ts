import { createHash } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { redisGuardScript } from '../../src/guards/redis-guard-script.ts'
import { checkScript } from '../../src/redis/scripts/check-script.ts'
import { forceReleaseScript } from '../../src/redis/scripts/force-release-script.ts'
import { lockScript } from '../../src/redis/scripts/lock-script.ts'
import { recordScript } from '../../src/redis/scripts/record-script.ts'
import { slotScript } from '../../src/redis/scripts/slot-script.ts'
import { waitScript } from '../../src/redis/scripts/wait-script.ts'
import { wakingReleaseScript } from '../../src/redis/scripts/waking-release-script.ts'
import { volatileScript } from '../../src/redis/quarantine/volatile-script.ts'
import { generateScripts } from '../../tools/lua/generate.ts'

const root = resolve(import.meta.dirname, '../..')

it('every generated script is what `npm run generate` writes', async () => {
  const modules = await generateScripts(root)
  expect(modules.map(({ file }) => file)).toEqual([
    'src/guards/redis-guard-script.ts',
    'src/redis/scripts/check-script.ts',
    'src/redis/scripts/force-release-script.ts',
    'src/redis/scripts/lock-script.ts',
    'src/redis/scripts/record-script.ts',
    'src/redis/scripts/slot-script.ts',
    'src/redis/scripts/wait-script.ts',
    'src/redis/scripts/waking-release-script.ts',
    'src/redis/scripts/steps.ts',
    'src/redis/quarantine/prelude.ts',
    'src/protocol/command-version.ts',
  ])
  for (const { file, text } of modules) {
    expect(await readFile(join(root, file), 'utf8')).toBe(text)
    expect(text).toMatch(/^\/\/ Generated (from [\w-]+\.lua )?by `npm run generate`/)
  }
})

it.each([
  ['command.ts', 'minCounter', true],
  ['reply.ts', 'wasForced', true],
  // The reply to a check has these types.
  ['check-reply.ts', 'rejected', true],
  ['check-reply.ts', 'maxField', false],
])('the version of the commands: %s, another name for %s: %s', async (file, name, isOther) => {
  const versionOf = async (folder: string): Promise<string> =>
    (await generateScripts(folder)).find(({ file }) => file.endsWith('command-version.ts'))!.text
  const folder = await mkdtemp(join(tmpdir(), 'edge-redlock-version-'))
  try {
    await cp(join(root, 'src'), join(folder, 'src'), { recursive: true })
    const path = join(folder, 'src/protocol', file)
    const source = await readFile(path, 'utf8')
    expect(source).toContain(name)
    await writeFile(path, source.replaceAll(name, 'renamed'))
    expect((await versionOf(folder)) !== (await versionOf(root))).toBe(isOther)
  } finally {
    await rm(folder, { recursive: true })
  }
})

it.each([
  ['check', checkScript],
  ['force-release', forceReleaseScript],
  ['lock', lockScript],
  ['record', recordScript],
  ['slot', slotScript],
  ['wait', waitScript],
  ['waking-release', wakingReleaseScript],
  ['redis-guard', redisGuardScript],
])('the script of %s has the SHA-1 that Redis computes', (_, { sha, source }) => {
  expect(sha).toBe(createHash('sha1').update(source).digest('hex'))
})

it.each([
  ['force-release', forceReleaseScript],
  ['lock', lockScript],
  ['record', recordScript],
  ['slot', slotScript],
  ['waking-release', wakingReleaseScript],
])('so has the script of %s as a volatile node runs it', (_, script) => {
  const { sha, source } = volatileScript(script)!
  expect(source).toMatch(/run_id.* local/)
  expect(source.endsWith(script.source)).toBe(true)
  expect(sha).toBe(createHash('sha1').update(source).digest('hex'))
})

it.each([
  ['check', checkScript],
  ['wait', waitScript],
])('the script of %s grants nothing, so a volatile node runs it as it is', (_, script) => {
  expect(volatileScript(script)).toBe(undefined)
})
