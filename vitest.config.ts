import { existsSync, globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// One cluster of real Redis servers serves every project: test/cluster.ts starts and ends it.
// The examples import the package by its name. Tests run them with the sources, as wrangler does by the
// paths of tsconfig.json.
const source = (path: string): string => fileURLToPath(new URL(`src/${path}`, import.meta.url))
const alias = [
  { find: /^edge-redlock$/, replacement: source('index.ts') },
  { find: /^edge-redlock\/([\w-]+)$/, replacement: source('entries/$1.ts') },
]

const others = ['**/*.workerd.test.ts', '**/*.slow.test.ts', '**/*.site.test.ts']
// What an earlier file has left running would set timers on their virtual clock, so each has a process of its own.
const withFakeTimers = globSync('test/**/*.test.ts', { exclude: others }).filter((file) =>
  /useFakeTimers|'\.\/memory-nodes\.ts'/.test(readFileSync(file, 'utf8')),
)

// Vitest begins with the largest files, where it has not run them before. These are small, and wait longest: begun
// last, one of them would run alone.
const longest =
  /(?:costs\/table|scenarios|submit-page|doctor\/commands|upstash-variants|simulation\/simulation|conformance\/rest|throttle-wait|storage)\./
// Workerd has few files, which cannot fill the cores at the end.
const rankOf = ({ project, moduleId }: TestSpecification): number =>
  (project.name.endsWith('workerd') ? 0 : 2) + (longest.test(moduleId) ? 0 : 1)

// A file that the command line names must run, whichever projects it chooses. The first run tells.
const named = process.argv.slice(2).filter((text) => text.endsWith('.test.ts') && existsSync(text))

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const left = named
      .splice(0)
      .filter((name) => !files.some(({ moduleId }) => moduleId === resolve(name)))
    if (left.length > 0) {
      throw new Error(`${left.join(' and ')} would not run: leave out --project`)
    }
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b))
  }
}

/** Runs tests inside workerd. It takes two seconds to start, so all files share one: `isolate: false`. */
const onWorkerd = () =>
  cloudflareTest(({ inject }) => ({
    main: 'test/durable-object/worker.ts',
    miniflare: {
      compatibilityDate: '2026-11-01',
      bindings: { REDLOCK_NODES: inject('REDLOCK_NODES') },
      d1Databases: ['DB', 'LOCKS_B', 'LOCKS_C'],
      kvNamespaces: ['ANSWERS'],
      r2Buckets: ['BUCKET'],
      durableObjects: {
        REDLOCK: { className: 'InspectedNode', useSQLite: true },
        OTHER: { className: 'OtherObject', useSQLite: true },
        WITHOUT_SQLITE: { className: 'WithoutSqlite' },
      },
    },
  }))

export default defineConfig({
  resolve: { alias },
  test: {
    globalSetup: ['test/cluster.ts'],
    sequence: { sequencer: LongestFirst, setupFiles: 'list' },
    // Most of the time the tests wait: six files at a time take little more than one.
    maxWorkers: 6,
    // Many tests have nodes that fail on purpose. `test/unit/warnings.test.ts` reads what is shown then.
    onConsoleLog: (log) => !log.startsWith('edge-redlock: '),
    // Tests wait for conditions. This is for those that would wait for ever, also on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'node-shared',
          include: ['test/**/*.test.ts'],
          exclude: [...others, ...withFakeTimers],
          // `alone.ts` separates the files that share a process.
          isolate: false,
          setupFiles: ['test/support/alone.ts', 'test/secrets/watch.ts'],
          // It replaces `Response` where it is loaded: in each file that uses it, and only there.
          server: { deps: { inline: ['@hono/node-server'] } },
        },
      },
      {
        extends: true,
        test: {
          name: 'node-alone',
          include: withFakeTimers,
          setupFiles: ['test/secrets/watch.ts'],
        },
      },
      {
        extends: true,
        // Run by `npm test -- --project 'slow*'`, in CI: `npm test` is to take less than two minutes.
        test: {
          name: 'slow',
          include: ['test/**/*.slow.test.ts'],
          setupFiles: ['test/secrets/watch.ts'],
        },
      },
      {
        extends: true,
        // Run by `npm test -- --project site`, in CI: it builds the site first, which takes a minute.
        test: {
          name: 'site',
          include: ['test/**/*.site.test.ts'],
          globalSetup: ['test/site/serve.ts'],
        },
      },
      {
        extends: true,
        plugins: [onWorkerd()],
        test: {
          name: 'workerd',
          isolate: false,
          include: ['test/**/*.workerd.test.ts'],
          exclude: ['**/*.slow.workerd.test.ts'],
        },
      },
      {
        extends: true,
        plugins: [onWorkerd()],
        // Run by `npm test -- --project 'slow*'`.
        test: { name: 'slow-workerd', isolate: false, include: ['test/**/*.slow.workerd.test.ts'] },
      },
    ],
  },
})
