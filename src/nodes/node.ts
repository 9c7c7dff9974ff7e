import type { ScriptCall } from '../protocol/script.ts'
import { setBounded } from '../util/bounded-map.ts'

/**
 * One of the independent Redis servers that vote on a lock. Made by `restNode` or `upstashNode`;
 * write your own to reach a Redis some other way.
 */
export type LockNode = {
  /** Tells the node from the others in reports and orders it among them: no credentials in it. */
  readonly name: string
  /**
   * Runs the script and resolves to its reply as is; rejects when there is none. Of the error only
   * the message is told, without the value of the lock.
   */
  readonly run: (call: ScriptCall, signal: AbortSignal) => Promise<unknown>
  /** True if the transport may deliver one request more than once. */
  readonly resends?: boolean
  /**
   * True if the server may lose what it was told when it restarts or fails over, as without
   * `appendfsync always`. It then abstains after a restart, for as long as locks may live.
   */
  readonly volatile?: boolean | undefined
  /**
   * Which server it leads to, and as whom; after a slash, by which way. No secrets in it. Nodes of
   * the same scope are taken for the same: what is known of one is kept for the next, in this
   * isolate. Default: nothing is kept.
   */
  readonly scope?: string | undefined
}

// By number, so that nothing of a token is in a scope; and kept whole, so that no two are mixed up.
const accounts = new Map<string, number>()
const objects = new WeakMap<object, number>()
const maxAccounts = 1000
let numbers = 0

/** A number for an object, and for no other. */
export const numberOf = (object: object): number => {
  const number = objects.get(object) ?? ++numbers
  objects.set(object, number)
  return number
}

/**
 * The scope of a node: a number for where it is and the secret it is reached with, and one for what
 * reaches it, since a custom fetch may lead anywhere.
 */
export const scopeOf = (name: string, secret: string, via?: object): string => {
  const id = JSON.stringify([name, secret])
  const account = accounts.get(id) ?? ++numbers
  setBounded(accounts, id, account, maxAccounts)
  return via ? `${account}/${numberOf(via)}` : `${account}`
}

/**
 * The error of one node, made safe to log: the secret is blanked out of the text, and nothing else
 * hangs on it, such as a cause. It is cut short last: a cut may leave a part of a secret.
 */
export const nodeError = (error: unknown, secret?: string, most?: number): Error => {
  const { message, cause } = (error ?? {}) as { message?: string; cause?: { code?: string } }
  // Node's fetch says only "fetch failed"; what failed is in the code of the cause.
  const text = cause?.code ? `${message} (${cause.code})` : `${message}`
  // Redis quotes what it was sent, cut short, so that a part of a secret would be left.
  const [said] = text.split(', with args beginning')
  // Where there is no secret, nothing is split.
  return new Error(said!.split(secret!).join('***').slice(0, most))
}
