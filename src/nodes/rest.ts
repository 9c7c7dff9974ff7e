import { expect } from '../expect.ts'
import { type LockNode, nodeError, scopeOf } from './node.ts'

/** A Redis server that speaks the Upstash REST protocol. */
export type RestNodeOptions = {
  /** `https://...` or `http://...`, without credentials, query or fragment. */
  readonly url: string
  /** The bearer token. */
  readonly token: string
  /** True if it may lose what it was told when it restarts; see {@link LockNode}. */
  readonly volatile?: boolean
  /** Replaces the global `fetch`: a function, or what has one, as the service binding of a Worker. */
  readonly fetch?: typeof fetch | { readonly fetch: typeof fetch }
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
  { url, token, volatile, fetch: custom }: RestNodeOptions,
  /** @internal */ where: string = 'node',
): LockNode => {
  // No credentials, query or fragment: what is in a url ends up in reports and logs.
  const isUrl = typeof url === 'string' && /^https?:\/\/[^\s/?#@][^\s?#@]*$/.test(url)
  expect(isUrl, `${where}.url`, 'an http(s) url, no @, ? or #', url)
  const isToken = typeof token === 'string' && /^[!-~]+$/.test(token)
  expect(isToken, `${where}.token`, 'visible ASCII', token)
  const isFetch = [typeof custom, typeof Object(custom).fetch].includes('function')
  expect(custom === undefined || isFetch, `${where}.fetch`, 'a function, or what has one', custom)
  // That of a service binding wants to be called on its object, the global one on none.
  const request: typeof fetch = (input, init) =>
    typeof custom === 'object' ? custom.fetch(input, init) : (custom ?? fetch)(input, init)
  const name = url.replace(/\/+$/, '')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  const send = async (words: unknown[], signal: AbortSignal): Promise<unknown> => {
    const response = await request(name, {
      method: 'POST',
      headers,
      body: JSON.stringify(words),
      redirect: 'manual',
      signal,
    })
    let result: unknown
    let error: string | undefined
    try {
      // Read to the end whatever the status is: an unread body holds its connection. But no further
      // than any reply of Redis goes; leaving the loop cancels the rest.
      let text = response.body ? '' : await response.text()
      const decoder = new TextDecoder()
      for await (const bytes of response.body ?? []) {
        text += decoder.decode(bytes, { stream: true })
        if (text[65_536]) throw text
      }
      ;({ result, error } = JSON.parse(text))
    } catch {}
    if (result && !error && response.status === 200) return result
    throw new Error(error || `HTTP ${response.status}, no reply of Redis`)
  }

  return {
    name,
    volatile,
    scope: scopeOf(name, token, custom),
    run: ({ script, keys, args, onResend }, signal) => {
      const rest = [keys.length, ...keys, ...args]
      return send(['EVALSHA', script.sha, ...rest], signal)
        .catch((error: Error) => {
          if (!/NOSCRIPT/.test(error.message)) throw error
          onResend?.()
          return send(['EVAL', script.source, ...rest], signal)
        })
        .catch((error: unknown) => {
          throw nodeError(error, token)
        })
    },
  }
}
