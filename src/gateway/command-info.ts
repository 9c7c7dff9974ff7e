import type { RedisArgument, RedisCommand } from './command.ts'
import { replyErrorText } from './failure.ts'
import { toText } from './reply.ts'

// Finds out which commands touch nothing but the keys that they name. The server reports it: COMMAND INFO has the
// categories and flags of each command and subcommand, including those of its version and its modules.

/** The entry of a command in COMMAND INFO. */
type CommandInfo = {
  readonly name: string
  readonly flags: readonly string[]
  /** Whether it names keys. */
  readonly hasKeys: boolean
  readonly categories: readonly string[]
  /** The subcommands of a container such as SCRIPT; undefined if the server does not list them, as before Redis 7. */
  readonly subcommands: readonly CommandInfo[] | undefined
}

/** The rule that decides whether commands may run, based on the reports of the server. */
export type CommandRule = {
  /** The error for a command that may not run, in the style of Redis; undefined if it may. */
  readonly errorFor: (command: RedisCommand) => Promise<string | undefined>
  /** To be called when the connection was lost, since another server may answer afterwards. */
  readonly forget: () => void
}

const isText = (value: unknown): value is string | Uint8Array =>
  typeof value === 'string' || value instanceof Uint8Array

const namesIn = (list: unknown): string[] => {
  const entries = list instanceof Set ? [...list] : list
  return Array.isArray(entries)
    ? entries.filter(isText).map((name) => toText(name).toLowerCase())
    : []
}

/** Reads an entry of the reply to COMMAND INFO; undefined if the server has no such command. */
const readEntry = (entry: unknown): CommandInfo | undefined => {
  if (!Array.isArray(entry)) return undefined
  const { 0: name, 2: givenFlags, 3: firstKey, 6: categories, 9: subcommands } = entry as unknown[]
  if (!isText(name)) return undefined
  const flags = namesIn(givenFlags)
  return {
    name: toText(name).toLowerCase(),
    flags,
    hasKeys: Number(firstKey) > 0 || flags.includes('movablekeys'),
    categories: namesIn(categories),
    subcommands: Array.isArray(subcommands)
      ? subcommands.flatMap((one) => readEntry(one) ?? [])
      : undefined,
  }
}

// Commands that block only with an option. `rejectionError` rejects them if they have it.
const blocksByOption = new Set(['xread', 'xreadgroup'])

// Before Redis 7, COMMAND INFO lists no subcommands. Then only these subcommands of SCRIPT and MEMORY are allowed.
const harmlessBefore7 = new Set(['script load', 'script exists', 'memory usage'])
const mixedBefore7 = new Set(['script', 'memory'])

// The categories that a command without keys may have. Its flags must show that it changes nothing for other clients.
const keylessCategories = ['@fast', '@read', '@pubsub', '@connection']

// All users of a server share its scripts. A client may run and load scripts, but may not list or remove them.
const harmlessScripting = /^(?:eval|fcall|script\|(?:load|exists)$)/

/** Why a command of this kind may not run; undefined if it may. */
const reasonOf = ({ name, flags, hasKeys, categories }: CommandInfo): string | undefined => {
  if (categories.includes('@admin')) return 'Redis has it in its category @admin'
  if (categories.includes('@dangerous')) return 'Redis has it in its category @dangerous'
  if (categories.includes('@blocking') && !blocksByOption.has(name))
    return 'Redis has it in its category @blocking'
  if (hasKeys) return undefined
  // A command that may run while a script keeps the server busy exists to end the script.
  const isHarmless =
    !flags.includes('write') &&
    !flags.includes('allow_busy') &&
    (categories.includes('@scripting')
      ? harmlessScripting.test(name)
      : keylessCategories.some((one) => categories.includes(one)))
  return isHarmless ? undefined : 'it is about the server, not about keys'
}

/** A word as Redis compares it: as a C string. */
const wordOf = (argument: RedisArgument = ''): string =>
  toText(argument).split('\0', 1)[0]!.toLowerCase()

/** Whether the command writes a key of another database. */
const leavesDatabase = ([name, , , ...options]: RedisCommand): boolean =>
  name === 'MOVE' || (name === 'COPY' && options.some((one) => wordOf(one) === 'db'))

/** The entry of the command, or of its subcommand if it has one. */
const entryOf = (info: CommandInfo, args: RedisCommand): CommandInfo | undefined => {
  const { name, subcommands } = info
  const [, first] = args
  const word = wordOf(first)
  if (subcommands === undefined) {
    if (!mixedBefore7.has(name)) return info
    return harmlessBefore7.has(`${name} ${word}`)
      ? { ...info, name: `${name}|${word}` }
      : { ...info, hasKeys: false, categories: [] }
  }
  if (subcommands.length === 0) return info
  return subcommands.find((one) => one.name === `${name}|${word}` || one.name === word)
}

// The errors of an ACL, and of a server that renames the command or lacks it.
const isForbidden = /^(?:NOPERM|ERR unknown command)/i

/** The error for a command that needs the option `allow`. */
const infoError = (name: string, reason: string): string =>
  `ERR Command is not available: '${name}', since ${reason}. The option \`allow\` of the gateway can let it through`

/**
 * Makes the rule for a gateway without `allow`. It asks the server about each name once, and again after a lost
 * connection.
 */
export const commandRule = (send: (command: RedisCommand) => Promise<unknown>): CommandRule => {
  // By name. The server has few commands, and other names are not kept.
  const known = new Map<string, CommandInfo>()

  const ask = async (name: string): Promise<CommandInfo | string | undefined> => {
    let reply: unknown
    try {
      reply = await send(['COMMAND', 'INFO', name])
    } catch (error) {
      const text = replyErrorText(error)
      if (text === undefined || !isForbidden.test(text)) throw error
      return infoError(name, 'the server does not let the gateway run COMMAND INFO')
    }
    if (!Array.isArray(reply)) return infoError(name, 'COMMAND INFO has no list of commands')
    return readEntry(reply[0])
  }

  const errorFor: CommandRule['errorFor'] = async (command) => {
    const [name] = command
    const info = known.get(name) ?? (await ask(name))
    if (typeof info === 'string') return info
    // The server itself replies that the command is unknown.
    if (!info) return undefined
    known.set(name, info)
    const entry = entryOf(info, command)
    const reason =
      entry && (leavesDatabase(command) ? 'it writes to another database' : reasonOf(entry))
    return (
      reason &&
      infoError(entry.subcommands ? name : entry.name.toUpperCase().replace('|', ' '), reason)
    )
  }
  return { errorFor, forget: () => known.clear() }
}
