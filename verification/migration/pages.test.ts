import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Cluster, startCluster } from '../../tools/servers/cluster.ts'
import { extractExamples, toModule } from '../../tools/docs/extract.ts'
import { isRefused } from './bed.ts'

// Runs before.ts and after.ts of docs/migrating-from-*.md on the same servers: the first one with the
// published library, the second one with this one.

const root = fileURLToPath(new URL('../..', import.meta.url))

let cluster: Cluster
beforeAll(async () => void (cluster = await startCluster({ count: 3 })), 30_000)
afterAll(() => cluster.close())

/** Imports a file of a page, next to the libraries that are installed in verification/. */
const importFrom = async <Module>(page: string, name: string): Promise<Module> => {
  const directory = await mkdtemp(join(import.meta.dirname, '.docs-check-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const markdown = await readFile(join(root, page), 'utf8')
  const example = extractExamples(page, markdown).find(({ module }) => module?.name === name)
  if (!example) throw new Error(`${page} has no file ${name}`)
  const code = toModule(example, { names: [], from: '' })
    .replaceAll(`'../src`, `'../../../src`)
    .replaceAll(`from 'redlock'`, `from 'redlock-5'`)
  const path = join(directory, name)
  await writeFile(path, code)
  return (await import(path)) as Module
}

type RunReport = { runReport: (servers: unknown, make: () => Promise<string>) => Promise<string> }
type Submitter = { submitter: (servers: unknown) => (userId: string) => Promise<string> }

const overTcp = (): Redis[] => {
  const options = { enableOfflineQueue: false, maxRetriesPerRequest: 0 }
  const clients = cluster.nodes.map(({ redis }) => new Redis(redis!.port, options))
  onTestFinished(() => clients.forEach((client) => client.disconnect()))
  return clients
}
const overRest = (): { url: string; token: string }[] =>
  cluster.nodes.map(({ url, token }) => ({ url, token }))

/** The pages on locks, and how their files reach the servers. */
const locks: Record<string, () => unknown> = {
  'docs/migrating-from-redlock.md': overTcp,
  'docs/migrating-from-redis-semaphore.md': overTcp,
  'docs/migrating-from-upstash-lock.md': overRest,
}
const throttles = ['docs/migrating-from-upstash-ratelimit.md']

it('all pages are run', () => {
  const pages = globSync('docs/migrating-from-*.md', { cwd: root })
  expect(pages.sort()).toEqual([...Object.keys(locks), ...throttles].sort())
})

const orders = [
  ['before.ts', 'after.ts'],
  ['after.ts', 'before.ts'],
] as const

describe.each(Object.entries(locks))('%s', (page, connect) => {
  it.each(orders)('%s holds the lock, and %s gets it only afterwards', async (first, second) => {
    const [holder, contender] = [
      await importFrom<RunReport>(page, first),
      await importFrom<RunReport>(page, second),
    ]
    const [hers, his] = [connect(), connect()]
    // Clients over TCP are connecting.
    await new Promise((resolve) => setTimeout(resolve, 200))
    let finish!: () => void
    const finished = new Promise<void>((resolve) => (finish = resolve))
    let holding!: Promise<string>
    await new Promise<void>((entered) => {
      holding = holder.runReport(hers, async () => {
        entered()
        await finished
        return 'first'
      })
    })
    let ran = false
    const refused = contender.runReport(his, async () => {
      ran = true
      return 'second'
    })
    expect(await isRefused(refused)).toBe(true)
    expect(ran).toBe(false)
    finish()
    expect(await holding).toBe('first')
    expect(await contender.runReport(his, async () => 'second')).toBe('second')
  })
})

describe.each(throttles)('%s', (page) => {
  it.each(['before.ts', 'after.ts'])('%s lets one call per window pass', async (name) => {
    const { submitter } = await importFrom<Submitter>(page, name)
    const submit = submitter(overRest())
    const user = crypto.randomUUID()
    const answers = await Promise.all([submit(user), submit(user), submit(user)])
    expect(answers.filter((answer) => answer === 'accepted')).toHaveLength(1)
    expect(answers.filter((answer) => /^wait [1-5] s$/.test(answer))).toHaveLength(2)
    expect(await submit(crypto.randomUUID())).toBe('accepted')
  })
})
