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
  /** The ID that the server should adopt unless it has one. Without it, the reply need not name the server. */
  readonly serverId?: string | undefined
  /** Must be called before each further request that the command takes, which counts for the `budget`. May throw. */
  readonly onResend?: (() => void) | undefined
  /** For nodes that are `volatile`: keeps a recently restarted server from voting. */
  readonly guard?: CommandGuard | undefined
}

/** The options that only nodes over Redis read. */
export type RedisRunOptions = Omit<RunOptions, 'guard'> & {
  readonly guard?: RestartGuard | undefined
}

/**
 * One of the independent servers that vote on a lock. `restNode` and `upstashNode` create nodes. Implement this type
 * for any other store that runs a command atomically. `applyCommand` of `edge-redlock/custom-node` computes the effect
 * of a command, and `testNode` of `edge-redlock/testing` tests the node.
 */
export type LockNode = {
  /** Identifies the node in reports, and orders the nodes. Must not contain credentials. */
  readonly name: string
  /**
   * Runs a command atomically, and with the same effect if it runs twice. Rejects when there is no reply. If the error
   * has `retryable: true`, because the connection was lost, the command is sent again. Only the message of the error is
   * reported, without the value of the lock.
   */
  readonly run: (command: Command, options: RunOptions) => Promise<Reply>
  /** True if the transport may deliver one request more than once. */
  readonly resends?: boolean
  /** `quarantine()` if the server may lose writes. Default: false. */
  readonly volatile?: Quarantine | false | undefined
  /**
   * Identifies the server and the account, and after a slash the transport. Must not contain secrets. Nodes with the
   * same scope count as the same node: the isolate remembers facts about one and uses them for the next. Default:
   * nothing is remembered.
   */
  readonly scope?: string | undefined
  /** Whether each run is a request by `fetch`. Cloudflare Workers limit the number of these requests. */
  readonly usesFetch?: boolean | undefined
  /**
   * Opens a stream of server-sent events with the messages of a channel, if the server supports it. For `withWakeUp`.
   */
  readonly subscribe?: (channel: string, signal: AbortSignal) => Promise<Response>
}

/** Keeps a server that has restarted from voting until every lock that it may have granted has expired. */
export type RestartGuard = CommandGuard & {
  /** For Redis: returns the script with the guard before it; undefined for a script that grants nothing. */
  readonly scriptOf: (script: Script) => Script | undefined
  /** Why a server that lacks this cannot vote; undefined if a server need not have it. */
  readonly reasonOf: (lacking: 'TIME' | 'run_id') => string | undefined
}

/** Keeps a node whose server has restarted from voting; created by `quarantine`. */
export type Quarantine = {
  /** Whether the node votes even if its server reports no run ID. */
  readonly withoutRunId: boolean
  /** The guard for the nodes of a client with these options. */
  readonly guard: (options: {
    readonly prefix: string
    readonly maxTtl: number
    readonly driftFactor: number
  }) => RestartGuard
}

// A scope contains a number instead of the token, so it reveals nothing about the token. The keys are whole instead of
// hashed, so no two accounts get the same number.
const accounts = boundedMap<number>(2 ** 20)
const objects = new WeakMap<object, number>()
// The bytes that an entry takes on V8, beside its name and secret.
const accountBytes = 200
let numbers = 0

/** A number that no other object has. */
export const numberOf = (object: object): number => {
  const number = objects.get(object) ?? ++numbers
  objects.set(object, number)
  return number
}

/**
 * The scope of a node: a number for its name and secret, and another for its transport, since a custom
 * fetch may send requests anywhere.
 */
export const scopeOf = (name: string, secret: string, transport?: object): string => {
  const id = JSON.stringify([name, secret])
  const account = accounts.get(id) ?? ++numbers
  accounts.set(id, account, accountBytes)
  return transport ? `${account}/${numberOf(transport)}` : `${account}`
}

/** The message of an error, or else its name; a custom node may throw anything. */
const messageOf = (error: unknown): string => {
  const { message, name } = Object(error) as { message?: unknown; name?: unknown }
  const text = [error, message, name].find((one) => typeof one === 'string' && one)
  return (text as string | undefined) ?? 'an error without a message'
}

/**
 * The error of one node, made safe to log. The message is one short line without the secret and the credentials in
 * URLs. Other properties, such as a cause, are dropped. The message is truncated last, since a truncated secret would
 * not be found and masked.
 */
export const nodeError = (error: unknown, secret?: string, maxLength?: number): Error => {
  let text = 'an unreadable error'
  try {
    // The message of `fetch` is only "fetch failed".
    const { cause, code = Object(cause).code } = Object(error) as {
      cause?: unknown
      code?: unknown
    }
    // Redis quotes the arguments of a command, truncated, so part of a secret could remain.
    const [quoted] = messageOf(error).split(', with args beginning', 1)
    const message = safeText(quoted!, secret)
    const detail = safeText(typeof code === 'string' ? code : cause ? messageOf(cause) : '', secret)
    text = detail && !message.includes(detail) ? `${message} (${detail})` : message
  } catch {
    // A property throws.
  }
  return new RedlockError(withoutCredentials(text, '***@').slice(0, maxLength))
}

// The messages of Node, Bun, Deno, workerd, ioredis and node-redis. A transport that has more information sets
// `retryable` itself.
const lost =
  /ECONNRESET|EPIPE|ERR_SOCKET|(connection|socket).* (closed|lost|reset)|max retries per request|isn't writeable/i

/** An error, and whether its command may be sent again. */
export type NodeError = Error & { readonly retryable?: boolean }

/** Whether a request failed because its connection ended before the reply. A new connection most likely works. */
export const isRetryable = (error: unknown): boolean => {
  try {
    return (Object(error) as NodeError).retryable === true
  } catch {
    return false
  }
}

/**
 * The error of a request of a runtime or a client, made safe to log. It is `retryable` if its connection ended before
 * the reply. This happens to idle connections that a load balancer has forgotten. The server may have run the request.
 */
export const requestError = (error: unknown, secret?: string): NodeError => {
  const failure = nodeError(error, secret)
  return lost.test(failure.message) ? Object.assign(failure, { retryable: true }) : failure
}
