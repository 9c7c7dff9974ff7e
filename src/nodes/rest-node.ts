import { assertOption } from '../util/validate.ts'
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

type Reply = { readonly result?: unknown; readonly error?: string }

// Bytes. No reply of the script is longer.
const maxLength = 65_536

/**
 * Reads a body to its end, whatever the status is, since an unread body keeps its connection; but no
 * further than any reply goes.
 */
const read = async (response: Response): Promise<string> => {
  const { body } = response
  // A custom fetch may return less than a Response, or another kind of stream.
  if (typeof body?.getReader !== 'function') return response.text()
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let left = maxLength; left >= 0;) {
    const { done, value } = await reader.read()
    if (done) return text
    left -= value.length
    text += decoder.decode(value, { stream: true })
  }
  reader.cancel().catch(() => {})
  return ''
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
  assertOption(isUrl, `${where}.url`, 'an http(s) url, no @, ? or #', url)
  const isToken = typeof token === 'string' && /^[!-~]+$/.test(token)
  assertOption(isToken, `${where}.token`, 'visible ASCII', token)
  const isFetch = [typeof custom, typeof Object(custom).fetch].includes('function')
  assertOption(
    custom === undefined || isFetch,
    `${where}.fetch`,
    'a function, or what has one',
    custom,
  )
  // That of a service binding wants to be called on its object, the global one on none.
  const request: typeof fetch = (input, init) =>
    typeof custom === 'object' ? custom.fetch(input, init) : (custom ?? fetch)(input, init)
  const name = url.replace(/\/+$/, '')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  return {
    name,
    volatile,
    scope: scopeOf(name, token, custom),
    run: async ({ script, keys, args, onResend }, signal) => {
      try {
        for (let command = 'EVALSHA'; ; command = 'EVAL') {
          const isHash = command === 'EVALSHA'
          const which = isHash ? script.sha : script.source
          const body = JSON.stringify([command, which, keys.length, ...keys, ...args])
          const init = { method: 'POST', headers, body, redirect: 'manual', signal } as const
          const response = await request(name, init)
          let reply: Reply = {}
          try {
            reply = JSON.parse(await read(response)) ?? {}
          } catch {}
          const { result, error } = reply
          if (result && !error && response.status === 200) return result
          if (!isHash || !error?.includes('NOSCRIPT')) {
            throw new Error(error || `HTTP ${response.status}, no reply of Redis`)
          }
          onResend?.()
        }
      } catch (error) {
        throw nodeError(error, token)
      }
    },
  }
}
