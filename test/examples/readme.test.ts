import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { extractExamples } from '../../tools/docs/extract.ts'
import { type Running, startRuntime } from '../../tools/servers/runtime.ts'
import { workerd } from '../../tools/servers/workerd.ts'
import { freshKey } from '../support/nodes.ts'

// The Worker in the README runs as it stands: on workerd, with nothing but its secret.

const root = fileURLToPath(new URL('../..', import.meta.url))

let worker: Running
let directory: string
beforeAll(async () => {
  const examples = extractExamples('README.md', await readFile(join(root, 'README.md'), 'utf8'))
  const { code } = examples.find((example) => example.code.includes('export default app'))!
  // Inside the repository, where the package is found by its name.
  directory = await mkdtemp(join(root, '.docs-check-readme-'))
  const entry = join(directory, 'worker.ts')
  await writeFile(entry, code)
  worker = await startRuntime(workerd(entry), { REDLOCK_NODES: inject('REDLOCK_NODES') })
})
afterAll(async () => {
  await worker?.stop()
  await rm(directory, { recursive: true, force: true })
})

const post = async (path: string, user: string): Promise<number> => {
  const response = await worker.call(path, { method: 'POST', headers: { 'x-user': user } })
  await response.text()
  return response.status
}

it('accepts one of several simultaneous submissions', async () => {
  const path = `/assignments/${freshKey()}/submit`
  const statuses = await Promise.all(Array.from({ length: 5 }, () => post(path, 'ada')))
  expect(statuses.sort((a, b) => a - b)).toEqual([202, 429, 429, 429, 429])
  expect(await post(path, 'grace')).toBe(202)
})

it('grades, and releases the lock for the next request', async () => {
  const path = `/assignments/${freshKey()}/grade`
  expect(await post(path, 'ada')).toBe(200)
  await expect.poll(() => post(path, 'ada'), { timeout: 5_000 }).toBe(200)
})
