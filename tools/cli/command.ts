import { type Argument, Command, type Option } from 'commander'
import { reportFailure } from './report-failure.ts'

/** The result of a command. */
export type Outcome = {
  /** If false, the command exits with 1. */
  readonly isMet: boolean
  /** Printed with `--json`. */
  readonly json: object
  /** Printed without `--json`. The last line contains the figure. */
  readonly lines: readonly string[]
}

/** The command line of a command. `Options` are the parsed values of its options. */
export type CommandLine<Options> = {
  /** How users run the command, for its help text. */
  readonly name: string
  readonly description: string
  /** The options, by the name of the value: `--rival-bursts` becomes `rivalBursts`. */
  readonly options: { readonly [name in keyof Options]-?: Option }
  readonly arguments?: readonly Argument[]
  /** The indentation of the JSON; 0 prints one line, and false removes the option `--json`. Default: 0. */
  readonly jsonIndent?: number | false
}

/** The values that every command receives in addition to its options. */
export type CommandContext = {
  readonly isJson: boolean
  /** Prints a line immediately, unless the output is JSON. */
  readonly print: (line: string) => void
  readonly args: readonly string[]
}

/**
 * Parses the command line, runs the command and prints the result. If the command throws an error, prints the message
 * without a stack, and exits with 1.
 *
 * @param run - Runs the command. Resolves to `undefined` if it has already printed everything.
 * @example
 * ```ts
 * await runCommand<{ cycles: number }>(
 *   { name: '...', description: '...', options: { cycles: countOption('--cycles <count>', ...) } },
 *   async ({ cycles }) => ({ isMet: true, json: { cycles }, lines: [`${cycles} cycles.`] }),
 * )
 * ```
 */
export const runCommand = async <Options extends object>(
  { name, description, options, arguments: names = [], jsonIndent = 0 }: CommandLine<Options>,
  run: (options: Options, context: CommandContext) => Promise<Outcome | undefined>,
): Promise<void> => {
  const command = new Command(name).description(description)
  for (const option of Object.values<Option>(options)) command.addOption(option)
  for (const argument of names) command.addArgument(argument)
  if (jsonIndent !== false) command.option('--json', 'print the result as JSON')
  const parsed = command.parse().opts<Options & { json?: true }>()
  const isJson = parsed.json === true
  const print = (line: string): void => {
    if (!isJson) console.log(line)
  }
  try {
    const outcome = await run(parsed, { isJson, print, args: command.args })
    if (!outcome) return
    if (!outcome.isMet) process.exitCode = 1
    for (const line of outcome.lines) print(line)
    if (isJson) console.log(JSON.stringify(outcome.json, null, jsonIndent || 0))
  } catch (error) {
    reportFailure(error)
  }
}
