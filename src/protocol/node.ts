import type { Command, CommandGuard } from './command.ts'
import type { Script } from './script.ts'
import type { Reply } from './reply.ts'
import { boundedMap } from '../util/bounded-map.ts'
import { safeText, withoutCredentials } from '../util/safe-text.ts'
import { RedlockError } from '../util/redlock-error.ts'

/** The options that a node receives with a command. */
export type RunOptions = {
  /** Aborts when the reply is no longer needed. */
  readonly signal: AbortSignal
  /** An ID for a server that does not have one yet. Without this option, the reply need not contain the server's ID. */
  readonly serverId?: string | undefined
  /**
   * Must be called before each additional request for the command, so that the request counts against the `budget`. Can
   * throw.
   */
  readonly onResend?: (() => void) | undefined
  /** For `volatile` nodes: keeps a recently restarted server from voting. */
  readonly guard?: CommandGuard | undefined
}

/** The same options with a guard for Redis, which only Redis nodes use. */
export type RedisRunOptions = Omit<RunOptions, 'guard'> & {
  readonly guard?: RestartGuard | undefined
}

/**
 * One of the independent servers that vote on a lock. `restNode` and `upstashNode` create nodes. You can implement this
 * type for any other store that can run a command atomically. `applyCommand` from `edge-redlock/custom-node` computes
 * the effect of a command, and `testNode` from `edge-redlock/testing` tests the node.
 */
export type LockNode = {
  /** Identifies the node in reports, and determines the order of the nodes. Must not contain credentials. */
  readonly name: string
  /**
   * Runs a command atomically. Running it twice must have the same effect as running it once. Rejects if there is no
   * reply. If the error has `retryable: true`, because the connection was lost, the command is sent again. Reports
   * contain only the error message, without the value of the lock.
   */
  readonly run: (command: Command, options: RunOptions) => Promise<Reply>
  /** True if the transport can deliver a request more than once. */
  readonly resends?: boolean
  /** `quarantine()` if the server may lose writes. Default: false. */
  readonly volatile?: Quarantine | false | undefined
  /**
   * Identifies the server and the account, and after a slash the transport. Must not contain secrets. Nodes with the
   * same scope count as the same node, so the isolate remembers facts about it, even for a new `Redlock`. Default:
   * nothing is remembered.
   */
  readonly scope?: string | undefined
  /** Whether each run is a `fetch` request. Cloudflare Workers limit the number of these requests. */
  readonly usesFetch?: boolean | undefined
  /**
   * Opens a stream of server-sent events with the messages of a channel, if the server supports that. Used by
   * `withWakeUp`.
   */
  readonly subscribe?: (channel: string, signal: AbortSignal) => Promise<Response>
}

/** Keeps a server that has restarted from voting until every lock that it may have granted has expired. */
export type RestartGuard = CommandGuard & {
  /** For Redis: returns the script with the guard in front; undefined for a script that grants nothing. */
  readonly scriptOf: (script: Script) => Script | undefined
  /** Returns why a server that lacks this feature cannot vote; undefined if the feature is not required. */
  readonly reasonOf: (lacking: 'TIME' | 'run_id') => string | undefined
}

/** Creates guards that keep a restarted server from voting. `quarantine` returns this object. */
export type Quarantine = {
  /** Whether the node votes even if its server reports no run ID. */
  readonly withoutRunId: boolean
  /** Creates the guard for a client with these options. */
  readonly guard: (options: {
    readonly prefix: string
    readonly maxTtl: number
    readonly driftFactor: number
  }) => RestartGuard
}

// Maps accounts to numbers, so that a scope reveals nothing about the token. The keys are not hashed, so no two
// accounts have the same number.
const accounts = boundedMap<number>(2 ** 20)
const objects = new WeakMap<object, number>()
// The size of an entry on V8, in bytes, without its name and secret.
const accountBytes = 200
let numbers = 0

/** A number that identifies the object. */
export const numberOf = (object: object): number => {
  const number = objects.get(object) ?? ++numbers
  objects.set(object, number)
  return number
}

/**
 * The scope of a node: a number for the name and the secret, and another one for the transport. A custom `fetch` can
 * send requests anywhere, so it makes a node a different one.
 */
export const scopeOf = (name: string, secret: string, transport?: object): string => {
  const id = JSON.stringify([name, secret])
  const account = accounts.get(id) ?? ++numbers
  accounts.set(id, account, accountBytes)
  return transport ? `${account}/${numberOf(transport)}` : `${account}`
}

/** The message of an error, or else its name. A custom node can throw any value. */
const messageOf = (error: unknown): string => {
  const { message, name } = Object(error) as { message?: unknown; name?: unknown }
  const text = [error, message, name].find((one) => typeof one === 'string' && one)
  return (text as string | undefined) ?? 'an error without a message'
}

/**
 * Makes a node's error safe to log. The message is one short line without the secret or the credentials in URLs. Other
 * properties, such as a cause, are dropped. The message is truncated last, because a secret that is cut off could not
 * be found and masked.
 */
export const nodeError = (error: unknown, secret?: string, maxLength?: number): Error => {
  let text = 'an unreadable error'
  try {
    // The code or the cause is needed because `fetch` often reports only "fetch failed".
    const { cause, code = Object(cause).code } = Object(error) as {
      cause?: unknown
      code?: unknown
    }
    // Redis quotes the truncated arguments of a command, which could contain part of a secret.
    const [quoted] = messageOf(error).split(', with args beginning', 1)
    const message = safeText(quoted!, secret)
    const detail = safeText(typeof code === 'string' ? code : cause ? messageOf(cause) : '', secret)
    text = detail && !message.includes(detail) ? `${message} (${detail})` : message
  } catch {
    // A getter threw.
  }
  return new RedlockError(withoutCredentials(text, '***@').slice(0, maxLength))
}

// Matches the messages for lost connections of Node.js, Bun, Deno, workerd, ioredis and node-redis. A transport with
// more information sets `retryable` itself.
const lost =
  /ECONNRESET|EPIPE|ERR_SOCKET|(connection|socket).* (closed|lost|reset)|max retries per request|isn't writeable/i

/** An error, with a flag that says whether the command can be sent again. */
export type NodeError = Error & { readonly retryable?: boolean }

/** Whether a request failed because its connection ended before the reply. A new connection will most likely work. */
export const isRetryable = (error: unknown): boolean => {
  try {
    return (Object(error) as NodeError).retryable === true
  } catch {
    return false
  }
}

/**
 * Makes the error of a request safe to log. The result is `retryable` if the connection ended before the reply. This
 * happens to idle connections that a load balancer has dropped. The server may still have processed the request.
 */
export const requestError = (error: unknown, secret?: string): NodeError => {
  const failure = nodeError(error, secret)
  return lost.test(failure.message) ? Object.assign(failure, { retryable: true }) : failure
}
