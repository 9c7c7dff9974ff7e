import type { Script } from '../protocol/script.ts'
import { boundedMap } from '../util/bounded-map.ts'
import { safeText, withoutCredentials } from '../util/safe-text.ts'
import { RedlockError } from '../util/redlock-error.ts'

/**
 * One of the independent Redis servers that vote on a lock. `restNode` and `upstashNode` create nodes;
 * implement this type to reach a Redis some other way.
 */
export type LockNode = {
  /** Identifies the node in reports, and orders the nodes. Must not contain credentials. */
  readonly name: string
  /**
   * Runs the script, by EVALSHA and its `sha`, or by EVAL and its `source` if the server replies NOSCRIPT.
   * Resolves to the unchanged reply; rejects when there is none. Only the message of the error is reported,
   * without the value of the lock.
   *
   * @param signal - Aborts when nobody waits for the reply any more.
   * @param onResend - To be called for each further request that one run takes: it counts for the `budget`.
   */
  readonly eval: (
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    signal: AbortSignal,
    onResend?: () => void,
  ) => Promise<unknown>
  /** True if the transport may deliver one request more than once. */
  readonly resends?: boolean
  /** `quarantine()` if the server may lose writes. Default: false. */
  readonly volatile?: Quarantine | false | undefined
  /**
   * Identifies the server and the account, and after a slash the transport. Must not contain secrets.
   * Nodes of the same scope count as the same node: the isolate remembers what it has learned of one
   * and uses it for the next. Default: nothing is remembered.
   */
  readonly scope?: string | undefined
  /** Whether each run is a request by `fetch`, of which Cloudflare Workers limit the number. */
  readonly usesFetch?: boolean | undefined
}

/** Keeps a node whose server has restarted from voting; made by `quarantine`. */
export type Quarantine = {
  /** Whether the node votes although its server reports no run id. */
  readonly withoutRunId: boolean
  /** The node as a client with these options asks it. */
  readonly over: (
    node: LockNode,
    options: { readonly prefix: string; readonly maxTtl: number; readonly driftFactor: number },
  ) => LockNode
}

// A scope contains a number instead of the token, so that it shows nothing of it. The keys are whole
// instead of hashed, so that no two accounts get the same number.
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
 * The error of one node, made safe to log: the message is one short line without the secret and the credentials of
 * urls, and other properties, such as a cause, are dropped. The message is truncated last, since a truncated secret
 * would not be found and masked.
 */
export const nodeError = (error: unknown, secret?: string, maxLength?: number): Error => {
  let text = 'an unreadable error'
  try {
    // `fetch` says only "fetch failed".
    const { cause, code = Object(cause).code } = Object(error) as {
      cause?: unknown
      code?: unknown
    }
    // Redis quotes the arguments of a command, truncated, so that a part of a secret could remain.
    const [quoted] = messageOf(error).split(', with args beginning', 1)
    const message = safeText(quoted!, secret)
    const detail = safeText(typeof code === 'string' ? code : cause ? messageOf(cause) : '', secret)
    text = detail && !message.includes(detail) ? `${message} (${detail})` : message
  } catch {
    // A property throws.
  }
  return new RedlockError(withoutCredentials(text, '***@').slice(0, maxLength))
}

// The words of Node, Bun, Deno, workerd, ioredis and node-redis.
const lost =
  /ECONNRESET|EPIPE|ERR_SOCKET|(connection|socket).* (closed|lost|reset)|max retries per request|isn't writeable/i

/**
 * Whether a request failed because its connection ended before the reply, as connections do that a
 * balancer has forgotten while they were idle. The server may have run the request. A new connection
 * most likely works.
 */
export const isLostConnection = ({ message }: Error): boolean => lost.test(message)
