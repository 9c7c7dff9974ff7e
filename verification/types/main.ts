import { execa } from 'execa'
import { runCommand } from '../../tools/cli/command.ts'
import { flagOption, onlyOption } from '../../tools/cli/options.ts'
import { copyAlone, installPackage } from '../../tools/release/install-package.ts'
import { compilers, type Failure, projects } from './projects.ts'
import { unnamedOptions } from './wrong-options.ts'

// Compiles the projects of users against the package as it would be published. A line that must not
// compile is marked with @ts-expect-error, so that it fails where it does.

const folder = import.meta.dirname

/** The output of a command that failed; undefined where it succeeded. */
const failureOf = async (
  command: readonly [string, ...string[]],
  cwd: string,
): Promise<string | undefined> => {
  const env = { NEXT_TELEMETRY_DISABLED: '1', CI: '1' }
  const { failed, all } = await execa({ cwd, env, all: true, reject: false })`${command}`
  return failed ? (all ?? 'failed without output') : undefined
}

await runCommand<{ only?: string; build: boolean }>(
  {
    name: 'npm run types --',
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
      isWrong = false,
    ): Promise<void> => {
      steps++
      const printed = await failureOf(command, cwd)
      const missing = isWrong ? unnamedOptions(cwd, printed ?? '') : []
      const output = isWrong ? missing.join('\n') || undefined : printed
      print(`${output === undefined ? 'ok    ' : 'FAILED'} ${name}`)
      if (output !== undefined) failures.push({ name, output })
    }
    for (const { name, prepare, isAlone, isWrong, configs, builds } of projects) {
      if (!name.includes(only)) continue
      const own = `${folder}/projects/${name}`
      await using alone = isAlone && (await copyAlone(own))
      const cwd = alone ? alone.path : own
      if (prepare) await run(`${name}: ${prepare.join(' ')}`, prepare, cwd)
      if (build && builds) await run(`${name}: ${builds.slice(1).join(' ')}`, builds, cwd)
      for (const config of configs) {
        for (const { version, tsc } of compilers) {
          const title = `${name}: TypeScript ${version}, ${config}`
          await run(
            title,
            ['node', tsc, '--noEmit', '--pretty', 'false', '-p', config],
            cwd,
            isWrong,
          )
        }
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
