import {
  BadRequest,
  type RedisArgument,
  type RedisCommand,
  toArgument,
  toCommand,
} from './command.ts'

// decodeURIComponent refuses %FF; a key may hold any byte.
const unescape = (text: string): RedisArgument => {
  if (/%(?![\da-f]{2})/i.test(text)) throw new BadRequest('ERR bad percent-encoding in the url')
  const encoded = new TextEncoder().encode(text)
  const bytes = new Uint8Array(encoded.length)
  let length = 0
  for (let index = 0; index < encoded.length; index += 1) {
    const escaped = encoded[index] === 0x25
    bytes[length] = escaped
      ? Number.parseInt(String.fromCharCode(...encoded.subarray(index + 1, index + 3)), 16)
      : encoded[index]!
    length += 1
    if (escaped) index += 2
  }
  return toArgument(bytes.subarray(0, length))
}

const queryArguments = (query: string): RedisArgument[] =>
  query
    .split('&')
    .filter((pair) => pair !== '' && !/^_token(?:=|$)/.test(pair))
    .flatMap((pair) => {
      const [, name, value] = /^([^=]*)(?:=(.*))?$/s.exec(pair)!
      return value === undefined ? [name!] : [name!, value]
    })
    .map((text) => unescape(text.replaceAll('+', ' ')))

/**
 * Reads a command from a url: `/set/key/value?EX=100`. The body of a POST takes its place between
 * the path and the query, as the value of `/set/key?EX=100`. A `_token` in the query is dropped:
 * a token in a url ends up in logs, so it neither authenticates nor reaches Redis.
 *
 * @param path the part of the path below the gateway, still percent-encoded, without leading `/`.
 * @param query the query, still percent-encoded, without `?`.
 * @param body the bytes of the body; none when empty.
 * @throws {BadRequest} when there is no command, or a `%` that escapes nothing.
 * @see {@link https://upstash.com/docs/redis/features/restapi#json-or-binary-value}
 */
export const pathCommand = (path: string, query: string, body: Uint8Array): RedisCommand =>
  toCommand([
    ...path.split('/').map(unescape),
    ...(body.length > 0 ? [toArgument(body)] : []),
    ...queryArguments(query),
  ])
