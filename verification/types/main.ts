import { execa } from 'execa'
import { runCommand } from '../../tools/cli/command.ts'
import { flagOption, onlyOption } from '../../tools/cli/options.ts'
import { copyAlone, installPackage } from '../../tools/release/install-package.ts'
import { compilers, type Failure, projects } from './projects.ts'
import { unnamedOptions } from './wrong-options.ts'

// Compiles user projects against the packed package. A line that must not compile has a @ts-expect-error, so that the
// project fails if the line compiles.

const folder = import.meta.dirname

/** The output of a failed command; undefined if it succeeded. */
const failureOf = async (
  command: readonly [string, ...string[]],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string | undefined> => {
  const env = { NEXT_TELEMETRY_DISABLED: '1', CI: '1', ...more }
  const { failed, all } = await execa({ cwd, env, all: true, reject: false })`${command}`
  return failed ? (all ?? 'failed without output') : undefined
}

/** Whether a command has failed as expected, according to its output. */
type Verdict = (printed: string | undefined) => string | undefined

const succeeds: Verdict = (printed) => printed

const saying =
  (expected: string | undefined): Verdict =>
  (printed) => {
    if (expected === undefined) return printed
    return printed?.includes(expected)
      ? undefined
      : `not "${expected}", but: ${printed ?? 'success'}`
  }

await runCommand<{ only?: string; build: boolean }>(
  {
    name: 'npm run verify -- types',
    description: 'Compile projects of users against the packed package',
    options: {
      only: onlyOption('projects'),
      build: flagOption('--no-build', 'do not run the builds of frameworks'),
    },
  },
  async ({ only = '', build }, { print }) => {
    await installPackage(folder)
    const failures: Failure[] = []
    let steps = 0
    const run = async (
      name: string,
      command: readonly [string, ...string[]],
      cwd: string,
      verdict = succeeds,
      env?: Readonly<Record<string, string>>,
    ): Promise<void> => {
      steps++
      const output = verdict(await failureOf(command, cwd, env))
      print(`${output === undefined ? 'ok    ' : 'FAILED'} ${name}`)
      if (output !== undefined) failures.push({ name, output })
    }
    for (const { name, prepare, isAlone, isWrong, configs, builds, runs = [] } of projects) {
      if (!name.includes(only)) continue
      const own = `${folder}/projects/${name}`
      await using alone = isAlone && (await copyAlone(own))
      const cwd = alone ? alone.path : own
      if (prepare) await run(`${name}: ${prepare.join(' ')}`, prepare, cwd)
      if (build && builds) await run(`${name}: ${builds.slice(1).join(' ')}`, builds, cwd)
      const naming: Verdict = (printed) =>
        unnamedOptions(cwd, printed ?? '').join('\n') || undefined
      for (const given of configs) {
        const { file, isFor, says } = typeof given === 'string' ? { file: given } : given
        for (const { version, tsc } of compilers) {
          if (isFor && !isFor(Number.parseFloat(version))) continue
          const command = ['node', tsc, '--noEmit', '--pretty', 'false', '-p', file] as const
          const verdict = isWrong ? naming : saying(says)
          await run(`${name}: TypeScript ${version}, ${file}`, command, cwd, verdict)
        }
      }
      for (const { name: title, command, env, says } of runs) {
        await run(`${name}: ${title}`, command, cwd, saying(says), env)
      }
    }
    const isMet = steps > 0 && failures.length === 0
    return {
      isMet,
      json: { isMet, steps, failures },
      lines: [
        ...failures.map(({ name, output }) => `${name}\n${output}\n`),
        `Types: ${steps - failures.length} of ${steps} steps succeeded.`,
      ],
    }
  },
)
