import { expect } from '../expect.ts'
import type { ScriptCall } from '../scripts.ts'
import { type LockNode, nodeError } from './node.ts'

/** A Redis server that speaks the Upstash REST protocol. */
export type RestNodeOptions = {
  /** `https://...` or `http://...`, without credentials, query or fragment. */
  readonly url: string
  /** The bearer token. */
  readonly token: string
  /** Replaces the global `fetch`: a service binding, a Fastly backend, a test. */
  readonly fetch?: typeof fetch
}

/**
 * A node over `fetch`: one request per step, EVALSHA first and EVAL once where the script is not
 * cached yet. Never follows a redirect, which would carry the token elsewhere or lose it.
 *
 * @throws {TypeError} when the url is not http(s) or the token is missing.
 * @see {@link https://upstash.com/docs/redis/features/restapi}
 * @example
 * ```ts
 * const node = restNode({ url: 'https://eu1-caring-owl-1.upstash.io', token: env.TOKEN })
 * ```
 */
export const restNode = (
  { url, token, fetch: custom }: RestNodeOptions,
  /** @internal */ where: string = 'node',
): LockNode => {
  // No credentials, query or fragment: what is in a url ends up in reports and logs.
  const isUrl = typeof url === 'string' && /^https?:\/\/[^\s/?#@]+[^\s?#@]*$/.test(url)
  expect(isUrl, `${where}.url`, 'an http(s) url without credentials, query or fragment', url)
  const isToken = typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)
  expect(isToken, `${where}.token`, 'a non-empty ASCII string', token)
  expect(!custom || typeof custom === 'function', `${where}.fetch`, 'a function', custom)
  const name = url.replace(/\/+$/, '')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  const send = async (
    command: string,
    script: string,
    { keys, args }: ScriptCall,
    signal: AbortSignal,
  ): Promise<{ result?: unknown; error?: string }> => {
    const response = await (custom ?? fetch)(name, {
      method: 'POST',
      headers,
      body: JSON.stringify([command, script, keys.length, ...keys, ...args]),
      redirect: 'manual',
      signal,
    })
    // Read to the end whatever the status is: an unread body holds its connection.
    const text = await response.text()
    try {
      const { result, error } = JSON.parse(text)
      if (typeof error === 'string') return { error }
      if (response.status === 200) return { result }
    } catch {}
    return { error: `HTTP ${response.status} without a Redis reply` }
  }

  return {
    name,
    run: async (call, signal) => {
      try {
        let answer = await send('EVALSHA', call.script.sha, call, signal)
        if (answer.error?.startsWith('NOSCRIPT')) {
          answer = await send('EVAL', call.script.source, call, signal)
        }
        if (answer.error !== undefined) throw new Error(answer.error)
        return answer.result
      } catch (error) {
        throw nodeError(error, [token, call.args[1]])
      }
    },
  }
}
