import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { worlds } from '../../verification/explore/worlds.ts'
import { mutants } from '../../verification/mutants/list.ts'

// The table of verification/README.md has the evidence for each promise of the guarantees page.

const root = resolve(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The text of all files that match, such as the sources of some checks. */
const sourcesOf = (...patterns: string[]): string =>
  globSync(patterns, { cwd: root }).map(read).join('\n')

/** The table rows below a heading, as cells. */
const rowsBelow = (page: string, heading: string): string[][] =>
  read(page)
    .split(/^## /m)
    .find((section) => section.startsWith(`${heading}\n`))!
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
    .slice(1)

const namesIn = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)
const linksIn = (cell: string): string[] =>
  [...cell.matchAll(/\]\(([^)#]+)/g)].map(([, link]) => link!)
const promiseOf = (cell: string): string => /^\*\*(.+?)\*\*/.exec(cell)?.[1] ?? ''

const rows = rowsBelow('verification/README.md', 'Promises').map(
  ([
    promise = '',
    model = '',
    explore = '',
    simulation = '',
    mutant = '',
    servers = '',
    chaos = '',
  ]) => ({
    promise,
    model,
    explore,
    simulation,
    mutant,
    servers,
    chaos,
  }),
)

const modelSources = sourcesOf('verification/model/*.pml')
const exploreSources = sourcesOf('verification/explore/*.ts')
const simulationSources = sourcesOf(
  'verification/simulation/{checks,scenarios,workload}/*.ts',
  'verification/history/*.ts',
)
const chaosSources = sourcesOf('verification/chaos/checker/*.ts', 'verification/history/*.ts')
const worldNames: ReadonlySet<string> = new Set(worlds.map(({ name }) => name))
const mutantNames: ReadonlySet<string> = new Set(mutants.map(({ name }) => name))

const report = read('verification/reports/mutants.md')
const [removed = '', checks = ''] = report.split('\nThe checks:\n')
/** The checks of the simulation that the report explains. */
const explained = new Set(
  [...checks.matchAll(/^\| (.+?) \|/gm)].flatMap(([, names]) => names!.split(', ')),
)
/** By mutant: the check that notices it. */
const noticedBy = new Map(
  [...removed.matchAll(/^\| (.+?) \| `.+?` \| (.+?) \|/gm)].map(([, name, check]) => [
    name!,
    check!,
  ]),
)

it('the table has a row for each promise of the guarantees page, and no other ones', () => {
  const promised = rowsBelow('docs/understand/guarantees.md', 'What you can rely on')
    .map(([promise = '']) => promiseOf(promise))
    .toSorted()
  expect(promised).not.toContain('')
  const own = rows.map(({ promise }) => promiseOf(promise)).filter((name) => name !== '')
  expect(own.toSorted()).toEqual([...new Set(promised)])
  // Other pages make the other promises.
  for (const { promise } of rows) expect(promiseOf(promise) || linksIn(promise)[0]).toBeTruthy()
})

describe.each(rows)(
  '$promise',
  ({ promise, model, explore, simulation, mutant, servers, chaos }) => {
    it('has two pieces of evidence that do not depend on each other', () => {
      // The search and the simulation have the same nodes.
      const pieces = [model, `${explore}${simulation}`, servers, chaos]
      expect(pieces.filter(Boolean).length).toBeGreaterThanOrEqual(2)
    })

    it('names files, checks, worlds and mutants that exist', () => {
      const links = [promise, model, explore, simulation, servers, chaos].flatMap(linksIn)
      const isChecked = (sources: string) => (name: string) => sources.includes(`'${name}'`)
      const unknown = [
        ...links.filter((link) => !existsSync(join(root, 'verification', link))),
        ...namesIn(model).filter((name) => !modelSources.includes(`assert(${name})`)),
        ...namesIn(explore).filter(
          (name) => !worldNames.has(name) && !isChecked(exploreSources)(name),
        ),
        ...namesIn(simulation).filter((name) => !explained.has(name)),
        ...namesIn(chaos).filter((name) => !isChecked(chaosSources)(name)),
        ...namesIn(mutant).filter((name) => !mutantNames.has(name)),
      ]
      expect(unknown).toEqual([])
    })

    it('names mutants that one of its checks notices', () => {
      const wrong = namesIn(mutant).filter(
        (name) => !namesIn(simulation).includes(noticedBy.get(name)!),
      )
      expect(wrong).toEqual([])
    })
  },
)

it('the report of the mutants explains every check of the simulation', () => {
  const checks = [
    ...simulationSources.matchAll(/(?:violated|exceeded|finding)\(\s*'([^']+)'|check: '([^']+)'/g),
  ].map(([, violated, check]) => violated ?? check!)
  expect(checks.length).toBeGreaterThan(50)
  expect([...new Set(checks)].filter((name) => !explained.has(name))).toEqual([])
})
