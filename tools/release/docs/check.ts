import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { execa } from 'execa'
import { reportFailure } from '../../cli/report-failure.ts'
import { describeEngine, startCluster } from '../../servers/cluster.ts'
import { type Example, exportsOf, extractExamples, toModule } from './extract.ts'

// Every block of TypeScript in the README and the guides is type-checked and run, each in a process
// of its own, over real servers where there are any; and none may leave a lock behind.

const root = fileURLToPath(new URL('../../..', import.meta.url))
const directory = join(root, '.docs-check')
const files = ['README.md', 'docs/edge.md', 'docs/guards.md', 'docs/guarantees.md']
const timeLimit = 30_000

type Outcome = { readonly where: string; readonly error?: string }

const { json } = new Command('npm run docs:check --')
  .description('Type-check and run every example of the README and the guides')
  .option('--json', 'print the result as JSON')
  .parse()
  .opts<{ json?: true }>()
const say = (line: string): void => void (json ?? console.log(line))

const examples: Example[] = []
for (const file of files) {
  examples.push(...extractExamples(file, await readFile(join(root, file), 'utf8')))
}
const pathOf = (index: number): string => join(directory, `example-${index + 1}.ts`)
const config = {
  extends: '../tsconfig.json',
  // An example shows a value without using it.
  compilerOptions: { noUnusedLocals: false },
  include: ['*.ts'],
}

const cluster = await startCluster({ count: 3 })

/** The keys of locks that are held on any node. */
const lockKeys = async (): Promise<string[]> => {
  const keys = await Promise.all(
    cluster.nodes.map(async ({ url, token }) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(['KEYS', 'lock:l:*']),
      })
      return ((await response.json()) as { result: string[] }).result
    }),
  )
  return keys.flat()
}

const run = async ({ where }: Example, index: number): Promise<Outcome> => {
  const { failed, all } = await execa(process.execPath, [pathOf(index)], {
    all: true,
    env: cluster.env,
    forceKillAfterDelay: 1000,
    reject: false,
    timeout: timeLimit,
  })
  if (failed) return { where, error: all || `did not end within ${timeLimit} ms` }
  const left = await lockKeys()
  return left.length > 0 ? { where, error: `left behind ${left.join(', ')}` } : { where }
}

try {
  say(describeEngine(cluster))
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory)
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config))
  const from = '../tools/release/docs/fixtures.ts'
  const names = exportsOf(await readFile(join(directory, from), 'utf8'))
  for (const [index, example] of examples.entries()) {
    await writeFile(pathOf(index), toModule(example, { names, from }))
  }
  const types = await execa('tsc', ['-p', directory], {
    preferLocal: true,
    reject: false,
    all: true,
  })
  const outcomes: Outcome[] = []
  for (const [index, example] of examples.entries()) outcomes.push(await run(example, index))

  const broken = outcomes.filter(({ error }) => error)
  if (types.failed) say(types.all)
  for (const { where, error } of broken) say(`${where}: ${error}`)
  const isMet = !types.failed && broken.length === 0 && examples.length > 0
  if (!isMet) process.exitCode = 1
  if (json) console.log(JSON.stringify({ isMet, types: types.all, outcomes }))
  const ran = outcomes.length - broken.length
  say(
    `Docs: ${ran} of ${examples.length} examples run; types are ${types.failed ? 'wrong' : 'right'}.`,
  )
} catch (error) {
  reportFailure(error)
} finally {
  await rm(directory, { recursive: true, force: true })
  await cluster.close()
}
