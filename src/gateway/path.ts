import {
  BadRequest,
  type RedisArgument,
  type RedisCommand,
  toArgument,
  toCommand,
} from './command.ts'

// Not `decodeURIComponent`: it throws for %FF, but keys can contain any byte.
const percentDecode = (text: string): RedisArgument => {
  if (/%(?![\da-f]{2})/i.test(text)) throw new BadRequest('ERR bad percent-encoding in the URL')
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
    .map((text) => percentDecode(text.replaceAll('+', ' ')))

/**
 * Reads a command from a URL such as `/set/key/value?EX=100`. The body of a POST becomes an argument between path and
 * query, such as the value for `/set/key?EX=100`. A `_token` in the query is ignored, because tokens in URLs end up in
 * logs.
 *
 * @param path - The path below the gateway, percent-encoded, without the leading `/`.
 * @param query - The query, percent-encoded, without the `?`.
 * @param body - The body. An empty body adds no argument.
 * @throws `BadRequest` if the URL contains no command or an invalid percent-encoding.
 * @see {@link https://upstash.com/docs/redis/features/restapi#json-or-binary-value}
 */
export const pathCommand = (path: string, query: string, body: Uint8Array): RedisCommand =>
  toCommand([
    ...path.split('/').map(percentDecode),
    ...(body.length > 0 ? [toArgument(body)] : []),
    ...queryArguments(query),
  ])
