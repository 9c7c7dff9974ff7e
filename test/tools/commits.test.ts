import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it } from 'vitest'

const file = 'tools/ci/commits.ts'
const script = resolve(file)
let clone = ''

const git = (...args: string[]) =>
  execa('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: clone })

const commit = (message: string) => git('commit', '--quiet', '--allow-empty', '--message', message)

const check = () => execa(process.execPath, [script], { cwd: clone, reject: false, all: true })

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'edge-redlock-commits-'))
  await git('init', '--quiet', '--initial-branch', 'main')
  await commit('before the rule, whatever was written; also this.')
  await git('branch', 'older')
  await cp(script, join(clone, file), { recursive: true })
  await git('add', file)
  await commit('The rule')
})

afterAll(() => rm(clone, { recursive: true }))

it('accepts what came before the rule, merges, and messages that follow it', async () => {
  await commit('Address a clock that stands still\n\nA lock was kept for too long.')
  await git('checkout', '--quiet', 'older')
  await commit('written in parallel; without the rule')
  await git('checkout', '--quiet', 'main')
  await git('merge', '--quiet', '--no-edit', 'older')
  expect(await check()).toMatchObject({ all: 'Commits: 0 problems.', exitCode: 0 })
})

it.each([
  ['at most 72 characters', `Add ${'a'.repeat(69)}\n\nBecause.`],
  ['one topic', 'Add a clock; remove another\n\nBecause.'],
  ['no full stop', 'Add a clock.\n\nBecause.'],
  ['the imperative', 'Added a clock\n\nBecause.'],
  ['the imperative', 'adds a clock\n\nBecause.'],
  ['the reason in the body', 'Add a clock'],
])('says what breaks the rule: %s', async (rule, message) => {
  await commit(message)
  const { all, exitCode } = await check()
  expect(all).toContain(message.split('\n')[0])
  expect(all).toContain(rule)
  expect(exitCode).toBe(1)
  await git('reset', '--quiet', '--hard', 'HEAD^')
})

it('accepts a folder that is no clone, and a clone without history', async () => {
  const shallow = await mkdtemp(join(tmpdir(), 'edge-redlock-commits-'))
  await writeFile(join(shallow, 'empty'), '')
  const alone = await execa(process.execPath, [script], { cwd: shallow })
  expect(alone.stdout).toBe('Commits: 0 problems.')
  await execa('git', [
    'clone',
    '--quiet',
    '--depth',
    '1',
    `file://${clone}`,
    join(shallow, 'clone'),
  ])
  const { stdout } = await execa(process.execPath, [script], { cwd: join(shallow, 'clone') })
  expect(stdout).toBe('Commits: 0 problems.')
  await rm(shallow, { recursive: true })
})
