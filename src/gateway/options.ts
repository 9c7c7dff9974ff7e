import { isCommandName, type RedisCommand } from './command.ts'
import { isAlwaysRefused } from './refusal.ts'

/** What the gateway needs: a token to ask for, and a Redis client to ask. */
export type GatewayOptions = {
  /** The bearer token every request must carry: letters, digits and `-._~+/`, then `=` if any. */
  readonly token: string
  /**
   * Runs one command. Resolves to the reply (null, a number, a string, bytes, or an array of
   * those), or rejects: with the error Redis replied, or with what broke the connection, which
   * becomes a 503. Must not send a command twice when the connection breaks.
   */
  readonly send: (command: RedisCommand) => Promise<unknown>
  /**
   * Runs commands between MULTI and EXEC **on a connection of its own**: on a shared one, commands
   * of other requests end up inside the transaction. Resolves to one entry per command, its reply
   * or the Error it failed with; rejects when the transaction was discarded as a whole.
   */
  readonly transaction: (commands: readonly RedisCommand[]) => Promise<readonly unknown[] | null>
  /** The largest body of a request, in bytes. Default: 1 MiB, 1_048_576. */
  readonly maxBody?: number
  /**
   * Names of the only commands that may run, in any case; all that are safe on a shared connection
   * when absent. A list with EVAL lets scripts run any command: where that matters, use an ACL.
   */
  readonly allow?: readonly string[]
}

/** The options after the check, with defaults filled in. */
export type CheckedOptions = Omit<GatewayOptions, 'maxBody' | 'allow'> & {
  readonly maxBody: number
  readonly allow: ReadonlySet<string> | undefined
}

const fail = (option: string, expected: string): never => {
  throw new TypeError(`Expected \`${option}\` of gateway() to be ${expected}`)
}

const checkAllow = (allow: unknown): ReadonlySet<string> | undefined => {
  if (allow === undefined) return undefined
  if (!Array.isArray(allow) || !allow.every(isCommandName)) {
    return fail('allow', "an array of command names, such as ['GET', 'SET']")
  }
  const refused = allow.find(isAlwaysRefused)
  if (refused !== undefined) fail('allow', `without ${refused}, which a gateway never runs`)
  return new Set(allow.map((name) => name.toUpperCase()))
}

/**
 * Checks the options at the door.
 *
 * @throws {TypeError} naming the option and what was expected; never the token.
 */
export const checkOptions = (options: GatewayOptions): CheckedOptions => {
  const { token, send, transaction, maxBody = 1_048_576, allow } = options ?? {}
  // The characters RFC 6750 has for a bearer token: another one could never be presented.
  if (typeof token !== 'string' || !/^[\w.~+/-]+=*$/.test(token)) {
    fail('token', 'a non-empty string of letters, digits and -._~+/, with = only at its end')
  }
  if (typeof send !== 'function') fail('send', 'a function that runs one command')
  if (typeof transaction !== 'function') {
    fail('transaction', 'a function that runs commands on a connection of its own')
  }
  if (!Number.isSafeInteger(maxBody) || maxBody <= 0) {
    fail('maxBody', 'a whole number of bytes above 0')
  }
  return { token, send, transaction, maxBody, allow: checkAllow(allow) }
}
