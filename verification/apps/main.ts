import { setTimeout as sleep } from 'node:timers/promises'
import { resolve } from 'node:path'
import Table from 'cli-table3'
import { Option } from 'commander'
import { execa } from 'execa'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption, flagOption, onlyOption } from '../../tools/cli/options.ts'
import { installPackage } from '../../tools/release/install-package.ts'
import { startCluster } from '../../tools/servers/cluster.ts'
import { type App, apps, type Kind, projects, versionsOf } from './apps.ts'
import { buildApp, serveApp } from './build-app.ts'
import { burst, duplicates } from './burst.ts'
import { startCounter } from './counter.ts'
import { expectationOf, faultOf, inWords, statusesOf } from './expectation.ts'
import { type Fault, type Row, writeReport } from './report.ts'

// Builds an app of every framework for production, with the packed package. Then sends simultaneous duplicates of one
// request to two processes of the app. A server outside the app counts the effects of the handlers.

const describe = ({ fault, app, kind, rounds, passed, effects, statuses, slowest }: Row) => [
  fault,
  app,
  kind,
  [...new Set(effects)].join('–'),
  statuses,
  `${passed} of ${rounds}`,
  `${(slowest / 1000).toFixed(1)} s`,
]

/** Runs all rounds of one handler. Stops early if it does not respond, because that takes 12 s. */
const runKind = async (
  app: App,
  kind: Kind,
  fault: Fault,
  rounds: number,
  once: () => ReturnType<typeof burst>,
): Promise<Row> => {
  const effects: number[] = []
  let statuses = ''
  let why: string | undefined
  let passed = 0
  let slowest = 0
  while (effects.length < rounds) {
    const started = performance.now()
    const one = await once()
    slowest = Math.max(slowest, performance.now() - started)
    effects.push(one.effects)
    const seen = inWords(statusesOf(one.answers))
    const problem = faultOf(app, kind, one)
    if (!problem) passed++
    if (statuses === '' || (problem && !why)) statuses = seen
    why ??= problem
    if (one.answers.some(({ status }) => status === 0)) break
  }
  return {
    fault,
    app: app.title,
    kind,
    passed,
    statuses,
    slowest,
    rounds: effects.length,
    effects: [Math.min(...effects), Math.max(...effects)],
    expected: inWords(expectationOf(app, kind, 1).statuses),
    ...(why !== undefined && { why }),
  }
}

/** Runs all handlers of one app under one fault. */
const runApp = async (
  app: App,
  kinds: readonly Kind[],
  fault: Fault,
  rounds: number,
  print: (row: Row) => void,
): Promise<Row[]> => {
  await using started = new AsyncDisposableStack()
  const cluster = await startCluster({ count: 3 })
  started.defer(cluster.close)
  const [first] = cluster.nodes
  if (!first?.redis) throw new Error('No redis-server or valkey-server on PATH')
  const counter = started.use(await startCounter())
  const env = { ...cluster.env, COUNTER: counter.url }
  const processes = await Promise.all([serveApp(app, env), serveApp(app, env)])
  for (const { stop } of processes) started.defer(stop)
  if (fault !== 'none') {
    // Each process has loaded its handlers while the servers were healthy.
    for (const kind of kinds) await burst(kind, processes, counter)
  }
  if (fault === 'killed') await first.controls.crash()
  if (fault === 'frozen') first.controls.freeze()
  await sleep(100)
  const rows: Row[] = []
  for (const kind of kinds) {
    const once = () => burst(kind, processes, counter)
    const row = await runKind(app, kind, fault, rounds, once)
    rows.push(row)
    print(row)
  }
  return rows
}

await runCommand<{
  only?: string
  handler?: string
  rounds: number
  killed?: true
  frozen?: true
  package?: string
  built?: true
  write?: true
}>(
  {
    name: 'npm run verify -- apps',
    description: `Send ${duplicates} duplicates at once to two processes of an app of every framework`,
    options: {
      only: onlyOption('frameworks'),
      handler: new Option('--handler <name>', 'only handlers whose name contains this'),
      rounds: countOption('--rounds <count>', 'bursts of each handler', 1000, 10),
      killed: flagOption('--killed', 'then again while one of three servers is killed'),
      frozen: flagOption('--frozen', 'then again while one of three servers is suspended'),
      package: new Option('--package <tarball>', 'a packed package to use instead of this one'),
      built: flagOption('--built', 'use the apps of the last build'),
      write: flagOption(
        '--write',
        'write the results into verification/reports/apps.json and apps.md',
      ),
    },
  },
  async (
    { only = '', handler = '', rounds, killed, frozen, package: tarball, built, write },
    { print },
  ) => {
    const chosen = apps.filter(({ title }) => title.toLowerCase().includes(only.toLowerCase()))
    if (chosen.length === 0) throw new Error(`No framework has a name with ${only}`)
    if (write && (handler || !killed || !frozen)) {
      throw new Error('--write needs all handlers, --killed and --frozen')
    }
    const faults: Fault[] = ['none', ...(killed ? ['killed' as const] : [])]
    if (frozen) faults.push('frozen')
    if (!built) {
      if (!tarball) await execa`npm run --silent build`
      await installPackage(projects, tarball && resolve(tarball))
    }
    const rows: Row[] = []
    const failed: string[] = []
    for (const app of chosen) {
      print(`${app.title}: ${versionsOf(app)}`)
      const kinds = app.kinds.filter((kind) => kind.includes(handler))
      try {
        if (!built) await buildApp(app)
        for (const fault of faults) {
          const show = (row: Row): void => print(`  ${describe(row).join(', ')}`)
          // A handler that did not respond would time out again.
          const silent = rows.filter((row) => row.app === app.title && row.rounds < rounds)
          const left = kinds.filter((kind) => !silent.some((row) => row.kind === kind))
          rows.push(...(await runApp(app, left, fault, rounds, show)))
        }
      } catch (error) {
        failed.push(`${app.title}: ${(error as Error).message}`)
      }
    }
    const table = new Table({
      head: ['server', 'app', 'handler', 'effects', 'responses', 'rounds', 'slowest'],
      style: { compact: true, head: [], border: [] },
    })
    table.push(...rows.map(describe))
    const wrong = rows.filter(({ why }) => why !== undefined)
    for (const { fault, app, kind, why, expected } of wrong) {
      failed.push(`${app}, ${kind}, server ${fault}: ${why}; expected ${expected}`)
    }
    if (write) await writeReport(chosen, rows)
    return {
      isMet: failed.length === 0,
      json: { isMet: failed.length === 0, rows, failed },
      lines: [
        table.toString(),
        ...failed,
        `Apps: ${rows.length - wrong.length} of ${rows.length} handlers of ${chosen.length} frameworks did what they should.`,
      ],
    }
  },
)
