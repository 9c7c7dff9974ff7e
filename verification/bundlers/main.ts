import { runCommand } from '../../tools/cli/command.ts'
import { flagOption, onlyOption } from '../../tools/cli/options.ts'
import { installPackage } from '../../tools/release/install-package.ts'
import { type Matrix, toTable } from '../runtimes/matrix.ts'
import { writeBundlers } from '../runtimes/page.ts'
import { runMatrix } from '../runtimes/run-matrix.ts'
import { builds, versionOf } from './builds.ts'
import { groups } from './cases.ts'
import { prepareSources, startBuild } from './start-build.ts'

// Builds one app with every bundler against the packed package, runs the results, and lets clients compete for locks
// there.

/** The exact version of each bundler, for the docs. */
const versions = (): string[] => [
  ...new Set(builds.map((build) => `${build.source}: ${versionOf(build)}`)),
]

const cases = Object.values(groups).flat()

await runCommand<{ only?: string; write?: true }>(
  {
    name: 'npm run verify -- bundlers',
    description:
      'Build the packed package with every bundler, and run it against real Redis servers',
    options: {
      only: onlyOption('bundlers'),
      write: flagOption(
        '--write',
        'write the table of bundlers in verification/reports/runtimes.md',
      ),
    },
  },
  async ({ only = '', write }, { print }) => {
    if (only && write) throw new Error('--write needs all bundlers: leave out --only')
    const chosen = builds.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()))
    if (chosen.length === 0) throw new Error(`No bundler has a name with ${only}`)
    await installPackage(import.meta.dirname)
    await prepareSources()
    const hosts = chosen.map((build) => ({
      name: build.name,
      lacks: build.source === 'next' ? {} : { action: 'only Next.js has Server Actions' },
      start: (env: Record<string, string>) => startBuild(build, env),
    }))
    const cells = await runMatrix(cases, hosts, 3)
    const matrix: Matrix = {
      runtimes: chosen.map(({ name }) => name),
      groups,
      cellOf: (one, name) => cells.get(one)!.get(name)!,
    }
    const failed = cases.flatMap(({ name }, index) =>
      matrix.runtimes.flatMap((bundler) => {
        const { outcome, why } = matrix.cellOf(cases[index]!, bundler)
        return outcome === 'failed' ? [{ case: name, bundler, why }] : []
      }),
    )
    const passed = matrix.runtimes.filter((name) => !failed.some(({ bundler }) => bundler === name))
    const isMet = failed.length === 0
    print(toTable(matrix))
    if (write && isMet) await writeBundlers(matrix, versions())
    return {
      isMet,
      json: { isMet, cases: cases.length, builds: matrix.runtimes, failed },
      lines: [
        ...matrix.runtimes.flatMap((name) => {
          const first = failed.find(({ bundler }) => bundler === name)
          return first ? [`${name}, ${first.case}: ${first.why}`] : []
        }),
        `Bundlers: ${passed.length} of ${chosen.length} builds passed all of ${cases.length} cases.`,
      ],
    }
  },
)
