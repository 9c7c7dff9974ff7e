import type { RedisArgument, RedisCommand } from './command.ts'
import { replyErrorText } from './failure.ts'
import { toText } from './reply.ts'

// Determines which commands access only the keys that they name. The source is COMMAND INFO: it reports the categories
// and flags of each command and subcommand that the server supports, including those of modules.

/** The entry of a command in COMMAND INFO. */
type CommandInfo = {
  readonly name: string
  readonly flags: readonly string[]
  /** Whether the command names keys. */
  readonly hasKeys: boolean
  readonly categories: readonly string[]
  /** The subcommands of a container such as SCRIPT; undefined if the server does not list them, as before Redis 7. */
  readonly subcommands: readonly CommandInfo[] | undefined
}

/** Decides which commands are allowed to run, based on COMMAND INFO. */
export type CommandRule = {
  /** Returns a Redis-style error for a command that is not allowed; undefined if the command is allowed. */
  readonly errorFor: (command: RedisCommand) => Promise<string | undefined>
  /** Discards what the server reported. Call this after a lost connection, because another server may respond then. */
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

/** Parses an entry in the reply to COMMAND INFO; undefined if the server does not have the command. */
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

// Commands that block only with an option, which `rejectionError` rejects.
const blocksByOption = new Set(['xread', 'xreadgroup'])

// Before Redis 7, COMMAND INFO lists no subcommands, so these are the only allowed subcommands of SCRIPT and MEMORY.
const harmlessBefore7 = new Set(['script load', 'script exists', 'memory usage'])
const mixedBefore7 = new Set(['script', 'memory'])

// A command without keys needs one of these categories. Its flags must show that it changes nothing for other clients.
const keylessCategories = ['@fast', '@read', '@pubsub', '@connection']

// All users of a server share its scripts, so a client can run and load scripts, but not list or remove them.
const harmlessScripting = /^(?:eval|fcall|script\|(?:load|exists)$)/

/** Why a command is not allowed to run; undefined if it is allowed. */
const reasonOf = ({ name, flags, hasKeys, categories }: CommandInfo): string | undefined => {
  if (categories.includes('@admin')) return 'Redis lists it in the category @admin'
  if (categories.includes('@dangerous')) return 'Redis lists it in the category @dangerous'
  if (categories.includes('@blocking') && !blocksByOption.has(name))
    return 'Redis lists it in the category @blocking'
  if (hasKeys) return undefined
  // `allow_busy` marks commands that run while a script keeps the server busy, usually to kill that script.
  const isHarmless =
    !flags.includes('write') &&
    !flags.includes('allow_busy') &&
    (categories.includes('@scripting')
      ? harmlessScripting.test(name)
      : keylessCategories.some((one) => categories.includes(one)))
  return isHarmless ? undefined : 'it concerns the server, not keys'
}

/** Converts an argument to the word that Redis compares: a C string, which ends at the first NUL, in lower case. */
const wordOf = (argument: RedisArgument = ''): string =>
  toText(argument).split('\0', 1)[0]!.toLowerCase()

/** Whether the command writes a key of another database. */
const leavesDatabase = ([name, , , ...options]: RedisCommand): boolean =>
  name === 'MOVE' || (name === 'COPY' && options.some((one) => wordOf(one) === 'db'))

/** Returns the entry of the command, or of its subcommand if there is one. */
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

// The errors of an ACL, and of a server on which the command is renamed or missing.
const isForbidden = /^(?:NOPERM|ERR unknown command)/i

/** The error for a command that needs the option `allow`. */
const infoError = (name: string, reason: string): string =>
  `ERR Command is not available: '${name}', since ${reason}. The gateway's \`allow\` option can permit it`

/**
 * Creates the rule for a gateway without `allow`. Sends COMMAND INFO once for each command name, and again after a lost
 * connection.
 */
export const commandRule = (send: (command: RedisCommand) => Promise<unknown>): CommandRule => {
  // Only commands that the server has are stored, so the size of the map is limited.
  const known = new Map<string, CommandInfo>()

  const ask = async (name: string): Promise<CommandInfo | string | undefined> => {
    let reply: unknown
    try {
      reply = await send(['COMMAND', 'INFO', name])
    } catch (error) {
      const text = replyErrorText(error)
      if (text === undefined || !isForbidden.test(text)) throw error
      return infoError(name, 'the server does not allow the gateway to run COMMAND INFO')
    }
    if (!Array.isArray(reply)) return infoError(name, 'COMMAND INFO did not return a list')
    return readEntry(reply[0])
  }

  const errorFor: CommandRule['errorFor'] = async (command) => {
    const [name] = command
    const info = known.get(name) ?? (await ask(name))
    if (typeof info === 'string') return info
    // Send an unknown command to the server, which replies with an error.
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
