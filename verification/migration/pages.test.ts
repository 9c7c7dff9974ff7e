import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Cluster, startCluster } from '../../tools/servers/cluster.ts'
import { extractExamples, toModule } from '../../tools/docs/extract.ts'
import { isRejected } from './bed.ts'

// Runs the files of docs/guides/migrate.md on the same servers as those in before/, which do the same with the published
// libraries. The files in after/ follow the tables of the page.

const page = 'docs/guides/migrate.md'
const markdown = await readFile(fileURLToPath(new URL(`../../${page}`, import.meta.url)), 'utf8')
const examples = extractExamples(page, markdown)

let cluster: Cluster
beforeAll(async () => void (cluster = await startCluster({ count: 3 })), 30_000)
afterAll(() => cluster.close())

/** Imports a file of a folder, or one of the page, which is written next to these. */
const importFile = async <Module>(name: string): Promise<Module> => {
  if (name.includes('/')) return (await import(`./${name}`)) as Module
  const directory = await mkdtemp(join(import.meta.dirname, '.docs-check-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const example = examples.find(({ module }) => module?.name === name)
  if (!example) throw new Error(`${page} has no file ${name}`)
  const code = toModule(example, { names: [], from: '' }).replaceAll(`'../src`, `'../../../src`)
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

/** The files on locks, and how they reach the servers. */
const locks: readonly (readonly [before: string, after: string, connect: () => unknown])[] = [
  ['before/redlock.ts', 'redlock.ts', overTcp],
  ['before/redis-semaphore.ts', 'after/redis-semaphore.ts', overTcp],
  ['before/upstash-lock.ts', 'after/upstash-lock.ts', overRest],
]
const throttles = ['before/upstash-ratelimit.ts', 'upstash-ratelimit.ts']

it('all files are run', () => {
  const names = examples.flatMap(({ module }) => module?.name ?? [])
  const run = [...locks.map(([, after]) => after), throttles[1]!]
  expect(names.sort()).toEqual(run.filter((name) => !name.includes('/')).sort())
})

const pairs = locks.flatMap(([before, after, connect]) => [
  [before, after, connect] as const,
  [after, before, connect] as const,
])

describe('the files of docs/guides/migrate.md', () => {
  it.each(pairs)(
    '%s holds the lock, and %s gets it only afterwards',
    async (first, second, connect) => {
      const [holder, contender] = [
        await importFile<RunReport>(first),
        await importFile<RunReport>(second),
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
      const rejected = contender.runReport(his, async () => {
        ran = true
        return 'second'
      })
      expect(await isRejected(rejected)).toBe(true)
      expect(ran).toBe(false)
      finish()
      expect(await holding).toBe('first')
      expect(await contender.runReport(his, async () => 'second')).toBe('second')
    },
  )

  it.each(throttles)('%s lets one call per window pass', async (name) => {
    const { submitter } = await importFile<Submitter>(name)
    const submit = submitter(overRest())
    const user = crypto.randomUUID()
    const answers = await Promise.all([submit(user), submit(user), submit(user)])
    expect(answers.filter((answer) => answer === 'accepted')).toHaveLength(1)
    expect(answers.filter((answer) => /^wait [1-5] s$/.test(answer))).toHaveLength(2)
    expect(await submit(crypto.randomUUID())).toBe('accepted')
  })
})
