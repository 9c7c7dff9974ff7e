import { Command } from 'commander'
import { type CommandLine, exitCodeOf } from './execute.ts'

/** A command of a family, such as `contention` of `npm run bench`. */
export type Member = {
  readonly name: string
  readonly description: string
  /** The options of the command, with example values. `--help` after its name explains each option. */
  readonly takes?: string
  /** Commands that run before this one, in order and without its arguments. */
  readonly before?: readonly CommandLine[]
  /** The command that builds the package first, unless the caller passes `--built`. */
  readonly build?: CommandLine
  /** The command itself, which receives all arguments unchanged. */
  readonly run: CommandLine
}

/** Several commands that share one npm script. */
export type Family = {
  /** The npm script: `npm run NAME`. */
  readonly name: string
  readonly description: string
  readonly members: readonly Member[]
}

/** Returns the steps that run before a member. The help text needs only the dependencies. */
const stepsBefore = (
  { before = [], build }: Member,
  { isHelp, isBuilt }: { readonly isHelp: boolean; readonly isBuilt: boolean },
): readonly CommandLine[] => {
  if (isHelp) return before.filter((step) => step.includes('tools/release/install.ts'))
  return isBuilt || !build ? before : [build, ...before]
}

/** Runs the steps of a member until one fails, and sets the same exit code. */
const runMember = async (
  member: Member,
  args: readonly string[],
  isBuilt: boolean,
): Promise<void> => {
  const isHelp = args.includes('--help') || args.includes('-h')
  if (isHelp && !member.takes) return console.log(`${member.name}: ${member.description}`)
  const [program, ...own] = member.run
  const run: CommandLine = [program, ...own, ...args]
  for (const step of [...stepsBefore(member, { isHelp, isBuilt }), run]) {
    process.exitCode = await exitCodeOf(step)
    if (process.exitCode !== 0) return
  }
}

/** Formats the members of a family, with their descriptions and options. */
const listOf = (members: readonly Member[]): string => {
  const width = Math.max(...members.map(({ name }) => name.length)) + 2
  const rows = members.map(({ name, description, takes }) =>
    [
      `  ${name.padEnd(width)}${description}`,
      ...(takes ? [`${' '.repeat(width + 2)}${takes}`] : []),
    ].join('\n'),
  )
  return `\nCommands:\n${rows.join('\n')}\n`
}

/**
 * Runs the member that the command line names, or lists all members.
 *
 * @example
 * ```sh
 * npm run bench                              # lists the members
 * npm run bench -- contention --bursts 10    # runs one
 * npm run bench -- contention --help         # lists its options
 * ```
 */
export const runFamily = async ({ name, description, members }: Family): Promise<void> => {
  const program = new Command(`npm run ${name} --`)
    .description(description)
    .usage('<command> [its options]')
    .helpCommand(false)
    .enablePositionalOptions()
    .configureHelp({ visibleCommands: () => [] })
    .addHelpText('after', listOf(members))
    .addHelpText('after', `npm run ${name} -- <command> --help lists the options of one.`)
    .argument('[command]')
    .allowExcessArguments()
    .action((unknown?: string) => {
      if (unknown === undefined) return program.outputHelp()
      program.error(`error: npm run ${name} has no command ${unknown}; without one, it lists them`)
    })
  if (members.some(({ build }) => build))
    program.option('--built', 'do not build: dist is up to date')
  for (const member of members) {
    // Read the arguments of the process, because Commander would remove a `--`.
    const args = process.argv.slice(process.argv.indexOf(member.name) + 1)
    program
      .command(member.name)
      .argument('[args...]')
      .helpOption(false)
      .allowUnknownOption()
      .passThroughOptions()
      .action(() => runMember(member, args, program.opts<{ built?: true }>().built === true))
  }
  await program.parseAsync()
}
