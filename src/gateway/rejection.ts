import type { RedisArgument, RedisCommand } from './command.ts'

const blocking = 'BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN SAVE WAIT WAITAOF'

const connectionState =
  'ASKING AUTH DISCARD EXEC HELLO MONITOR MULTI PUNSUBSCRIBE QUIT READONLY READWRITE RESET SELECT ' +
  'SSUBSCRIBE SUNSUBSCRIBE UNSUBSCRIBE UNWATCH WATCH'

const streaming = 'PSUBSCRIBE SUBSCRIBE'

// The token grants full access to the data, but no access to the server.
const administration =
  'ACL CLUSTER CONFIG DEBUG FAILOVER MIGRATE MODULE PSYNC REPLCONF REPLICAOF RESTORE-ASKING ' +
  'SHUTDOWN SLAVEOF SYNC'

// Redis treats POST as a cross-protocol attack through a browser, and closes the connection.
// https://github.com/redis/redis/blob/7.0.15/src/server.c, securityWarningCommand
const closing = 'POST'

const reasons = new Map([
  ...blocking.split(' ').map((name) => [name, 'it blocks the connection'] as const),
  ...connectionState.split(' ').map((name) => [name, 'it belongs to a connection'] as const),
  ...streaming
    .split(' ')
    .map(
      (name) =>
        [name, `it needs /${name.toLowerCase()}/NAME and Accept: text/event-stream`] as const,
    ),
  ...administration.split(' ').map((name) => [name, 'it administers the server'] as const),
  ...closing.split(' ').map((name) => [name, 'Redis closes the connection on it'] as const),
])

/** Whether a command is rejected even if it is in `allow`. */
export const isAlwaysRejected = (name: string): boolean => reasons.has(name.toUpperCase())

// Redis compares options as C strings, so `BLOCK\0x` equals BLOCK.
const optionOf = (argument: RedisArgument | undefined): string | undefined => {
  const text = argument instanceof Uint8Array ? new TextDecoder().decode(argument) : argument
  return text?.split('\0', 1)[0]!.toUpperCase()
}

// Parses the options of XREAD as Redis does, because a stream, group or consumer can be named BLOCK.
const hasBlock = (args: readonly RedisArgument[]): boolean => {
  for (let index = 0; index < args.length; index += 1) {
    const name = optionOf(args[index])
    if (name === 'STREAMS') return false
    if (name === 'BLOCK') return true
    // Skip the names of the group and the consumer, which can be STREAMS or BLOCK.
    if (name === 'GROUP') index += 2
  }
  return false
}

const subcommandReason = (name: string, args: readonly RedisArgument[]): string | undefined => {
  const subcommand = optionOf(args[0]) ?? ''
  if (name === 'CLIENT' && !['ID', 'INFO', 'LIST', 'GETNAME'].includes(subcommand)) {
    return 'it belongs to a connection'
  }
  if (name === 'SCRIPT' && subcommand === 'DEBUG') return 'it belongs to a connection'
  if ((name === 'XREAD' || name === 'XREADGROUP') && hasBlock(args))
    return 'BLOCK blocks the connection'
  return undefined
}

/** The error for a command that is not in `allow`. */
export const notAllowedError = (name: string): string =>
  `NOPERM this user has no permissions to run the '${name.toLowerCase()}' command or its subcommand`

/**
 * Returns a Redis-style error for a command that is not allowed; undefined if the command is allowed. Many requests
 * share a connection, so commands that block it or change its state are always rejected.
 *
 * @param allow - The names of the allowed commands, in upper case; undefined allows all other commands.
 */
export const rejectionError = (
  [name, ...args]: RedisCommand,
  allow: ReadonlySet<string> | undefined,
): string | undefined => {
  const reason = reasons.get(name) ?? subcommandReason(name, args)
  if (reason !== undefined) return `ERR Command is not available: '${name}', since ${reason}`
  if (!allow || allow.has(name)) return undefined
  return notAllowedError(name)
}
