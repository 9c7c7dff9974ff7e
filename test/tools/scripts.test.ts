import { execaSync } from 'execa'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { groups } from '../../tools/ci/steps.ts'
import { familyNames, listed } from './family.ts'
import { runScript } from './processes.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(resolve(root, file), 'utf8')

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
// Each starter is a project with scripts of its own, which its files and its test name.
const ofStarters = globSync('examples/starters/*/package.json', { cwd: root }).map(
  (file) => (JSON.parse(read(file)) as { scripts: Record<string, string> }).scripts,
)
const families = new Map<string, ReadonlySet<string>>([['ci', new Set(Object.keys(groups))]])
for (const name of familyNames) {
  families.set(name, new Set((await listed(name)).map((member) => member.name)))
}

describe('the texts of the repository', () => {
  const texts = execaSync('git', ['ls-files'], { cwd: root })
    .stdout.split('\n')
    .filter((file) => !/lock\.json$|\.(png|ico|svg|woff2?|lock)$|^CHANGELOG/.test(file))
    .map((file) => [file, read(file)] as const)

  /** The first group of each match, with what it stands in. */
  const found = (pattern: RegExp): [file: string, name: string, member: string | undefined][] =>
    texts.flatMap(([file, text]) =>
      Array.from(
        text.matchAll(pattern),
        ([, name = '', member]): [string, string, string | undefined] => [file, name, member],
      ),
    )

  it('name only scripts that exist, and members of families that exist', () => {
    const named = found(/npm run (?:--silent )?([a-z][\w:-]*)(?: -- (?:--built )?([a-z][\w-]*))?/g)
    expect(named.length).toBeGreaterThan(100)
    const isKnown = (name: string, file: string): boolean =>
      name in scripts || (file.includes('/starters') && ofStarters.some((own) => name in own))
    const wrong = named.filter(
      ([file, name, member]) =>
        !isKnown(name, file) || (member !== undefined && families.get(name)?.has(member) === false),
    )
    expect(wrong).toEqual([])
  })

  it('name only projects of Vitest that exist', () => {
    const projects = Array.from(
      read('vitest.config.ts').matchAll(/name: '([\w-]+)'/g),
      ([, name]) => name!,
    )
    const named = found(/--project[ =]'?([\w*-]+)/g)
    const matches = (wanted: string): boolean =>
      projects.some((name) => new RegExp(`^${wanted.replaceAll('*', '.*')}$`).test(name))
    expect(named.filter(([, wanted]) => !matches(wanted))).toEqual([])
  })
})

describe('a family of scripts', () => {
  it.each(familyNames)('%s lists its members without one, and with --help', async (name) => {
    const [alone, help] = await Promise.all([
      runScript(`run/${name}`, []),
      runScript(`run/${name}`, ['--help']),
    ])
    expect(alone.exitCode).toBe(0)
    expect(help.stdout).toBe(alone.stdout)
    expect(families.get(name)!.size).toBeGreaterThan(3)
  })

  it('rejects a member that it does not have', async () => {
    const { exitCode, all } = await runScript('run/verify', ['everything'])
    expect(exitCode).toBe(1)
    expect(all).toContain('npm run verify has no command everything')
  })

  it('passes options and exit codes on, through npm', async () => {
    const verify = (...args: string[]) =>
      execaSync('npm', ['run', '--silent', 'verify', '--', ...args], { cwd: root, reject: false })
    const {
      stdout,
      stderr: complaints,
      exitCode,
    } = verify('simulate', '--histories', '3', '--json')
    expect({ complaints, exitCode }).toEqual({ complaints: '', exitCode: 0 })
    expect(JSON.parse(stdout)).toMatchObject({ histories: 3 })
    const { stderr, exitCode: failed } = verify('simulate', '--histories', 'many')
    expect(stderr).toContain('--histories')
    expect(failed).toBe(1)
  })
})

describe('npm run ci', () => {
  it('lists each step with its minutes, its command and its reason', async () => {
    const { stdout } = await runScript('ci/main', ['--list'])
    expect(stdout).toContain('waiting, 2 minutes: npm run ci -- waiting')
  })

  it('runs files that exist', () => {
    const commands = Object.values(groups).flatMap(({ steps }) => steps.map((step) => step.command))
    const files = commands.flatMap((command) => command.match(/\S+\.ts\b/g) ?? [])
    expect(files.length).toBeGreaterThan(3)
    expect(files.filter((file) => !existsSync(resolve(root, file)))).toEqual([])
  })

  it('names the groups when asked for one that it does not have', async () => {
    const { exitCode, all } = await runScript('ci/main', ['everything'])
    expect(exitCode).toBe(1)
    expect(all).toContain('Allowed choices are package, tests, install')
  })
})

describe('npm test', () => {
  it('fails when a file that it is told to run would be left out', async () => {
    const named = ['test/unit/retry.test.ts', 'test/tools/style.test.ts']
    const { exitCode, all } = await runScript('ci/test', ['--project=node-shared', ...named])
    expect(exitCode).toBe(1)
    expect(all).toContain('test/unit/retry.test.ts would not run: leave out --project')
  })
})
