import type { RedisArgument, RedisCommand } from './command.ts'

const blocking = 'BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN SAVE WAIT WAITAOF'

const connectionState =
  'ASKING AUTH DISCARD EXEC HELLO MONITOR MULTI PSUBSCRIBE PUNSUBSCRIBE QUIT READONLY READWRITE ' +
  'RESET SELECT SSUBSCRIBE SUBSCRIBE SUNSUBSCRIBE UNSUBSCRIBE UNWATCH WATCH'

// Whoever holds the token may do anything to the data, and nothing to the server around it.
const administration =
  'ACL CLUSTER CONFIG DEBUG FAILOVER MIGRATE MODULE PSYNC REPLCONF REPLICAOF RESTORE-ASKING ' +
  'SHUTDOWN SLAVEOF SYNC'

// Redis takes POST for a browser that was tricked into talking to it, and closes the connection.
// https://github.com/redis/redis/blob/7.0.15/src/server.c, securityWarningCommand
const closing = 'POST'

const reasons = new Map([
  ...blocking.split(' ').map((name) => [name, 'it blocks the connection'] as const),
  ...connectionState.split(' ').map((name) => [name, 'it belongs to a connection'] as const),
  ...administration.split(' ').map((name) => [name, 'it administers the server'] as const),
  ...closing.split(' ').map((name) => [name, 'Redis closes the connection on it'] as const),
])

/** True for a command that no list of allowed commands can let through. */
export const isAlwaysRefused = (name: string): boolean => reasons.has(name.toUpperCase())

// Redis compares options as C strings, so that `BLOCK\0x` is BLOCK to it.
const option = (argument: RedisArgument | undefined): string | undefined => {
  const text = argument instanceof Uint8Array ? new TextDecoder().decode(argument) : argument
  return text?.split('\0', 1)[0]!.toUpperCase()
}

// Walks the options as Redis does: a stream, group or consumer may well be named BLOCK.
const blocks = (args: readonly RedisArgument[]): boolean => {
  for (let index = 0; index < args.length; index += 1) {
    const name = option(args[index])
    if (name === 'STREAMS') return false
    if (name === 'BLOCK') return true
    // Its two names may be STREAMS too; the value of no other option can.
    if (name === 'GROUP') index += 2
  }
  return false
}

const subcommandReason = (name: string, args: readonly RedisArgument[]): string | undefined => {
  const subcommand = option(args[0]) ?? ''
  if (name === 'CLIENT' && !['ID', 'INFO', 'LIST', 'GETNAME'].includes(subcommand)) {
    return 'it belongs to a connection'
  }
  if (name === 'SCRIPT' && subcommand === 'DEBUG') return 'it belongs to a connection'
  if ((name === 'XREAD' || name === 'XREADGROUP') && blocks(args))
    return 'BLOCK blocks the connection'
  return undefined
}

/**
 * Why a command may not run, as an error in Redis's words; undefined when it may. Many requests
 * share a connection, so a command that blocks it or changes its state is never run.
 *
 * @param allow upper-case names of the commands that may run; every other one when undefined.
 */
export const refusal = (
  [name, ...args]: RedisCommand,
  allow: ReadonlySet<string> | undefined,
): string | undefined => {
  const reason = reasons.get(name) ?? subcommandReason(name, args)
  if (reason !== undefined) return `ERR Command is not available: '${name}', since ${reason}`
  if (!allow || allow.has(name)) return undefined
  return `NOPERM this user has no permissions to run the '${name.toLowerCase()}' command or its subcommand`
}
