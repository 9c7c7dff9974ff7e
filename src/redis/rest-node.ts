import { assertOption, checkOptions } from '../util/validate.ts'
import { type LockNode, requestError, scopeOf, type Quarantine } from '../protocol/node.ts'
import { nameOf, type RedisNode, redisNode } from './redis-node.ts'

/** A Redis server with the Upstash REST API. */
export type RestNodeOptions = {
  /** `https://...` or `http://...`, without credentials, query or fragment. */
  readonly url: string
  /** The bearer token. */
  readonly token: string
  /**
   * Identifies the node in reports, and determines the order of the nodes. (In a split vote, the client that holds the
   * first node leads.) All clients must use the same name for a server. Default: the URL.
   */
  readonly name?: string
  /** `quarantine()` if the server may lose writes when it restarts. Default: false. */
  readonly volatile?: Quarantine | false
  /** Replaces the global `fetch`: a function, or an object with a `fetch` method, such as a service binding. */
  readonly fetch?: typeof fetch | { readonly fetch: typeof fetch }
}

const restNodeOptions = 'url, token, name, volatile, fetch'

type RestReply = { readonly result?: unknown; readonly error?: unknown }

// The maximum length of a response body, in bytes. No script returns a longer reply.
const maxLength = 65_536

/**
 * Reads the whole body whatever the status, because an unread body keeps its connection open. Stops if the body is
 * longer than any reply.
 */
const read = async (response: Response): Promise<string> => {
  // A custom `fetch` may return an incomplete Response, or another kind of stream.
  const { headers } = response
  const length = headers?.get('content-encoding') ? undefined : headers?.get('content-length')
  // workerd is slow to create the stream of a body, so a short body is read without its stream.
  if (length && +length <= maxLength) return response.text()
  const { body } = response
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

/** Whether the object is a client of @upstash/redis, ioredis or node-redis. */
export const isClient = (given: object): boolean => 'evalsha' in given || 'sendCommand' in given

/** Creates a REST node. Error messages name its options with the prefix `path`. */
export const restNodeAt = (path: string, options: RestNodeOptions): RedisNode => {
  assertOption(Object(options) === options, path, 'an object { url, token }', options)
  const { url, token, volatile, fetch: custom } = options
  const expected = 'a node from upstashNode, ioredisNode or nodeRedisNode'
  assertOption(!isClient(options), path, expected, options, 'a client')
  // Credentials, a query and a fragment are forbidden, because reports and logs contain the URL.
  const isUrl = typeof url === 'string' && /^https?:\/\/[^\s/?#@][^\s?#@]*$/.test(url)
  assertOption(isUrl, `${path}.url`, 'the http(s) URL of the REST API, without @, ? or #', url)
  checkOptions(path, options, restNodeOptions)
  const isToken = typeof token === 'string' && /^[!-~]+$/.test(token)
  assertOption(isToken, `${path}.token`, 'visible ASCII', token)
  const isFetch = [typeof custom, typeof Object(custom).fetch].includes('function')
  assertOption(
    custom === undefined || isFetch,
    `${path}.fetch`,
    'a function, or an object with one',
    custom,
  )
  // The `fetch` of a service binding must be called as a method, the global `fetch` as a plain function.
  const request: typeof fetch = (input, init) =>
    typeof custom === 'object' ? custom.fetch(input, init) : (custom ?? fetch)(input, init)
  const address = url.replace(/\/+$/, '')
  const { name = address } = options
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  return redisNode({
    name,
    volatile,
    scope: scopeOf(name, JSON.stringify([address, token]), custom),
    usesFetch: true,
    send: async (command, call, signal) => {
      try {
        const { keys, args } = call
        const words = [command, nameOf(command, call), keys.length, ...keys, ...args]
        const body = JSON.stringify(words)
        const init = { method: 'POST', headers, body, redirect: 'manual', signal } as const
        const response = await request(address, init)
        const text = await read(response)
        let reply: RestReply = {}
        try {
          reply = JSON.parse(text) ?? {}
        } catch {}
        const { result, error } = reply
        const { status } = response
        if (result && !error && status === 200) return result
        const message = typeof error === 'string' ? error : ''
        throw new Error(message || `HTTP ${status}, not a Redis reply`)
      } catch (error) {
        throw requestError(error, token)
      }
    },
    subscribe: (channel, signal) =>
      request(`${address}/subscribe/${encodeURIComponent(channel)}`, {
        method: 'POST',
        headers: { ...headers, accept: 'text/event-stream' },
        redirect: 'manual',
        signal,
      }),
  })
}

/**
 * A node that uses `fetch`. Each operation is one EVALSHA request, followed by one EVAL if Redis has not cached the
 * script yet. Redirects are never followed, because they could send the token to another server.
 *
 * @throws `TypeError` if the URL is not http(s), the token is missing or an option is unknown.
 * @see {@link https://upstash.com/docs/redis/features/restapi}
 * @example
 * ```ts
 * const node = restNode({ url: 'https://eu1-caring-owl-1.upstash.io', token: env.TOKEN })
 * ```
 */
export const restNode = (options: RestNodeOptions): LockNode => restNodeAt('node', options)
