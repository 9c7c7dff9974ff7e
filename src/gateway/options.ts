import { commandRule, type CommandRule } from './command-info.ts'
import { isCommandName, type RedisCommand } from './command.ts'
import { isAlwaysRejected } from './rejection.ts'
import { isSubscribeCommand, type Subscribe } from './subscription.ts'

/** Options of `gateway()`. `send` and `transaction` connect the gateway to a Redis client. */
export type GatewayOptions = {
  /**
   * The bearer token that every request must present: letters, digits and `-._~+/`, with `=` only at the end.
   */
  readonly token: string
  /**
   * Runs one command. Resolves to the reply: null, a number, a bigint, a string, bytes, or an array of these. An
   * integer above 2^53 is exact only as a bigint. Rejects with the error reply from Redis, which becomes a 400, or with
   * a connection error, which becomes a 503. Must not resend a command if the connection breaks.
   */
  readonly send: (command: RedisCommand) => Promise<unknown>
  /**
   * Runs commands between MULTI and EXEC **on a separate connection**. On a shared connection, the commands of other
   * requests would become part of the transaction. Resolves to one entry per command: its reply, or the Error with
   * which it failed. Resolves to null if a watched key changed. Rejects if Redis discarded the whole transaction,
   * preferably with the error of the command that caused this. Must send no commands unless MULTI succeeded:
   * otherwise, they would run one by one.
   */
  readonly transaction: (commands: readonly RedisCommand[]) => Promise<readonly unknown[] | null>
  /**
   * The maximum size of a request body, in bytes. Default: 10,485,760 (10 MiB), as at Upstash. The value must be below
   * `proto-max-bulk-len` of the server, because Redis closes the connection on a longer argument.
   */
  readonly maxBody?: number
  /**
   * Enables `/subscribe` and `/psubscribe`, which are streams of server-sent events with one Redis connection each.
   * Default: both are rejected.
   */
  readonly subscribe?: Subscribe
  /**
   * The names of all allowed commands, in upper or lower case. Default: all commands that are safe on a shared
   * connection and access only the keys that they name, and subscriptions if `subscribe` is set. A command counts as
   * safe if COMMAND INFO lists it in none of the categories `@admin`, `@dangerous` and `@blocking`. Scripts run with
   * EVAL can use any command. To restrict scripts too, use a Redis ACL.
   */
  readonly allow?: readonly string[]
}

/** The checked options, with defaults. The names in `allow` are in upper case. */
export type ResolvedGatewayOptions = Omit<GatewayOptions, 'maxBody' | 'allow' | 'subscribe'> & {
  readonly maxBody: number
  readonly subscribe: Subscribe | undefined
  readonly allow: ReadonlySet<string> | undefined
  /** The rule that applies if `allow` is not set. */
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
 * @throws `TypeError` if an option is invalid. The message names the option and the expected value, but never contains
 *   the token.
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
  // RFC 6750 allows only these characters in a bearer token.
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
    // Ignore functions: if an adapter is spread into the options, it can have others, such as `close`.
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
