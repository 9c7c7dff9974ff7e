import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Option } from 'commander'
import { execa } from 'execa'
import { runCommand } from '../cli/command.ts'
import { type Cluster, describeEngine, startCluster } from '../servers/cluster.ts'
import {
  type Example,
  exportsOf,
  extractExamples,
  fileOf,
  toModule,
  unusedModules,
} from './extract.ts'
import { texts } from './pages.ts'

// Type-checks every TypeScript block of the README and of the pages in docs. Then runs each block in a separate process,
// on real servers if any are installed. Examples must not leave locks behind. A block with a label, such as [cron.ts],
// is a module that runs when another block of its page or a test imports it. Files whose names end in `before.ts` use
// another library: `npm run verify -- migration` installs the library and runs them.

const root = fileURLToPath(new URL('../..', import.meta.url))
const directory = join(root, '.docs-check')
const hooks = new URL('hooks.ts', import.meta.url).href
const timeLimit = 120_000
// The number of examples that run at the same time, each on separate servers.
const lanes = 3

type Outcome = { readonly where: string; readonly error?: string }

/** Whether an example is a test, which runs under Vitest. */
const isTest = ({ code }: Example): boolean => /from 'vitest'/.test(code)
const pathOf = (example: Example, index: number): string => {
  const name = `example-${index + 1}.${isTest(example) ? 'test.ts' : 'ts'}`
  return join(directory, example.module ? fileOf(example.module) : name)
}
const commandOf = (example: Example, index: number): [file: string, args: string[]] =>
  isTest(example)
    ? ['vitest', ['run', '--root', directory, pathOf(example, index)]]
    : [process.execPath, ['--import', hooks, pathOf(example, index)]]
const config = {
  extends: '../tsconfig.json',
  // Allow examples that show a value without using it.
  compilerOptions: { noUnusedLocals: false },
  // Types of modules that exist only on workerd.
  include: ['*.ts', '../src/durable-object/cloudflare.d.ts'],
}

const sendToAll = ({ nodes }: Cluster, ...words: string[]): Promise<unknown[]> =>
  Promise.all(
    nodes.map(async ({ url, token }) => {
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(words) })
      return ((await response.json()) as { result: unknown }).result
    }),
  )

/** The keys of the locks that any node holds. */
const lockKeys = async (cluster: Cluster): Promise<string[]> =>
  ((await sendToAll(cluster, 'KEYS', 'lock:l:*')) as string[][]).flat()

const runExample = async (cluster: Cluster, example: Example, index: number): Promise<Outcome> => {
  const { where } = example
  const { failed, all } = await execa(...commandOf(example, index), {
    all: true,
    preferLocal: true,
    env: {
      ...cluster.env,
      // All examples import the same sources, so compile them only once.
      NODE_COMPILE_CACHE: join(directory, 'compiled'),
      REDIS_PORT: `${cluster.nodes[0]!.redis?.port}`,
      REDIS_PORTS: cluster.nodes.map(({ redis }) => redis?.port).join(),
    },
    forceKillAfterDelay: 1000,
    reject: false,
    timeout: timeLimit,
  })
  const left = await lockKeys(cluster)
  // Clears the servers for the next example.
  await sendToAll(cluster, 'FLUSHALL')
  if (failed) return { where, error: all || `did not end within ${timeLimit} ms` }
  return left.length > 0 ? { where, error: `left behind ${left.join(', ')}` } : { where }
}

const readExamples = async (only: string): Promise<Example[]> => {
  const files = (await texts()).filter((file) => file.includes(only))
  const found = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
  return files.flatMap((file, index) => extractExamples(file, found[index]!))
}

/** Reads the sources of the tests that use files from the pages. */
const readTests = async (): Promise<string[]> => {
  const found: Promise<string>[] = []
  for await (const file of glob('{test/{recipes,guides},verification/migration}/*.ts', {
    cwd: root,
  })) {
    found.push(readFile(join(root, file), 'utf8'))
  }
  return Promise.all(found)
}

/** Writes the examples as modules, together with a configuration for the type check. */
const writeModules = async (examples: readonly Example[]): Promise<void> => {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory)
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config))
  // Without this file, Vitest would use the configuration of this project, and start its servers.
  await writeFile(join(directory, 'vitest.config.ts'), 'export default {}\n')
  const from = '../tools/docs/fixtures.ts'
  const names = exportsOf(await readFile(join(directory, from), 'utf8'))
  for (const [index, example] of examples.entries()) {
    await writeFile(pathOf(example, index), toModule(example, { names, from }))
  }
}

await runCommand<{ only?: string }>(
  {
    name: 'npm run docs -- check',
    description: 'Type-check and run every example of the README and of the pages in docs',
    options: { only: new Option('--only <text>', 'only pages whose path contains this') },
  },
  async ({ only = '' }, { print }) => {
    await using started = new AsyncDisposableStack()
    const examples = await readExamples(only)
    const clusters: Cluster[] = []
    for (let lane = 0; lane < lanes; lane++) {
      const cluster = await startCluster({ count: 3 })
      started.defer(cluster.close)
      clusters.push(cluster)
    }
    print(describeEngine(clusters[0]!))
    started.defer(() => rm(directory, { recursive: true, force: true }))
    await writeModules(examples)
    const types = await execa('tsc', ['-p', directory], {
      preferLocal: true,
      reject: false,
      all: true,
    })
    const outcomes: Outcome[] = []
    // Each cluster starts the next example when it has finished one.
    const remaining = examples.entries()
    const runRemaining = async (cluster: Cluster): Promise<void> => {
      for (const [index, example] of remaining) {
        if (!example.module) outcomes.push(await runExample(cluster, example, index))
      }
    }
    await Promise.all(clusters.map(runRemaining))
    for (const { where } of unusedModules(examples, await readTests())) {
      outcomes.push({ where, error: 'no other block of the page and no test imports it' })
    }
    const broken = outcomes.filter(({ error }) => error)
    const isMet = !types.failed && broken.length === 0 && examples.length > 0
    const ran = outcomes.length - broken.length
    return {
      isMet,
      json: { isMet, types: types.all, outcomes },
      lines: [
        ...(types.failed ? [types.all] : []),
        ...broken.map(({ where, error }) => `${where}: ${error}`),
        `Docs: ${ran} of ${outcomes.length} examples run; types are ${types.failed ? 'wrong' : 'right'}.`,
      ],
    }
  },
)
