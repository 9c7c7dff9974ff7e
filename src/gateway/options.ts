import { commandRule, type CommandRule } from './command-info.ts'
import { isCommandName, type RedisCommand } from './command.ts'
import { isAlwaysRejected } from './rejection.ts'
import { isSubscribeCommand, type Subscribe } from './subscription.ts'

/** Options of `gateway()`. `send` and `transaction` connect it to a Redis client. */
export type GatewayOptions = {
  /**
   * The bearer token that every request must present: letters, digits and `-._~+/`, with `=` only at
   * its end.
   */
  readonly token: string
  /**
   * Runs one command. Resolves to the reply: null, a number, a bigint, a string, bytes, or an array of
   * those. An integer above 2^53 is exact only as a bigint.
   * Rejects with the error reply of Redis, which becomes a 400, or with the error of the connection,
   * which becomes a 503. Must not send a command twice when the connection breaks.
   */
  readonly send: (command: RedisCommand) => Promise<unknown>
  /**
   * Runs commands between MULTI and EXEC **on a separate connection**. On a shared connection, the
   * commands of other requests would become part of the transaction. Resolves to one entry per
   * command: its reply, or the Error with which it failed. Resolves to null if a watched key changed.
   * Rejects if Redis discarded the whole transaction, preferably with the error of the command that
   * caused it. Must send no command unless MULTI succeeded: otherwise, the commands would run one by one.
   */
  readonly transaction: (commands: readonly RedisCommand[]) => Promise<readonly unknown[] | null>
  /**
   * Maximum size of a request body, in bytes. Default: 10,485,760 (10 MiB), as at Upstash. It must be
   * below the `proto-max-bulk-len` of Redis, which closes the connection on a longer argument.
   */
  readonly maxBody?: number
  /**
   * Serves `/subscribe` and `/psubscribe` as streams of server-sent events, with one connection to
   * Redis per stream. Default: both are rejected.
   */
  readonly subscribe?: Subscribe
  /**
   * Names of the only commands that may run, in upper or lower case. Default: all commands that are safe on a shared
   * connection and touch only the keys that they name. Subscriptions are included if there is a `subscribe`. The server
   * decides which commands are safe: in COMMAND INFO, they are in none of the categories `@admin`, `@dangerous` and
   * `@blocking`. Scripts run by EVAL may use any command. To restrict them too, use an ACL of Redis.
   */
  readonly allow?: readonly string[]
}

/** The checked options with their defaults. The names in `allow` are in upper case. */
export type ResolvedGatewayOptions = Omit<GatewayOptions, 'maxBody' | 'allow' | 'subscribe'> & {
  readonly maxBody: number
  readonly subscribe: Subscribe | undefined
  readonly allow: ReadonlySet<string> | undefined
  /** Decides if there is no `allow`. */
  readonly rule: CommandRule
}

const optionNames = 'token, send, transaction, subscribe, maxBody, allow'

// The room imports no other, so it has its own copy of the code: see src/util/codes.ts.
const fail = (option: string, expected: string): never => {
  throw new TypeError(`\`${option}\` of gateway() must be ${expected} (ERL01)`)
}

const resolveAllow = (
  allow: unknown,
  subscribe: Subscribe | undefined,
): ReadonlySet<string> | undefined => {
  if (allow === undefined) return undefined
  if (!Array.isArray(allow) || !allow.every(isCommandName)) {
    return fail('allow', "an array of command names, such as ['GET', 'SET']")
  }
  const names = allow.map((name) => name.toUpperCase())
  const rejected = names.find((name) => isAlwaysRejected(name) && !isSubscribeCommand(name))
  if (rejected !== undefined) fail('allow', `without ${rejected}, which a gateway never runs`)
  const subscribing = subscribe ? undefined : names.find(isSubscribeCommand)
  if (subscribing !== undefined) fail('allow', `without ${subscribing}, or add \`subscribe\``)
  return new Set(names)
}

/**
 * Checks the options when the gateway is created, and fills in their defaults.
 *
 * @throws `TypeError` if one is wrong; the message names it and the expected value, but never shows the token.
 */
export const resolveGatewayOptions = (options: GatewayOptions): ResolvedGatewayOptions => {
  const {
    token,
    send,
    transaction,
    subscribe,
    maxBody = 10_485_760,
    allow,
    ...others
  } = options ?? {}
  // Only these characters of RFC 6750 can be presented as a bearer token.
  if (typeof token !== 'string' || !/^[\w.~+/-]+=*$/.test(token)) {
    fail('token', 'a non-empty string of letters, digits and -._~+/, with = only at its end')
  }
  if (typeof send !== 'function') fail('send', 'a function that runs one command')
  if (typeof transaction !== 'function') {
    fail('transaction', 'a function that runs commands on a separate connection')
  }
  if (subscribe !== undefined && typeof subscribe !== 'function') {
    fail('subscribe', 'a function that subscribes on a separate connection')
  }
  if (!Number.isSafeInteger(maxBody) || maxBody <= 0) {
    fail('maxBody', 'a whole number of bytes above 0')
  }
  for (const [name, value] of Object.entries(others)) {
    // An adapter that is spread into the options may have other functions, such as `close`.
    if (value === undefined || typeof value === 'function') continue
    throw new TypeError(`Unknown option \`${name}\` of gateway(): it has ${optionNames} (ERL01)`)
  }
  return {
    token,
    send,
    transaction,
    subscribe,
    maxBody,
    allow: resolveAllow(allow, subscribe),
    rule: commandRule(send),
  }
}
