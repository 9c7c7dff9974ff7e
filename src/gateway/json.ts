import { BadRequest, maxWords, type RedisCommand, toCommand, tooManyWords } from './command.ts'

// Keeps the digits of a number as the client wrote them: 12345678901234567890 is a valid argument of
// Redis, but JavaScript would round it. Runtimes without source text access use String().
// https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/JSON/parse#context
const asWritten = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? (context?.source ?? String(value)) : value

// Counts the values of arrays, since V8 needs hundreds of bytes and microseconds for each of them:
// 10 MiB of one-digit arguments would stop the process for seconds before they are rejected.
const hasTooManyWords = (body: Uint8Array): boolean => {
  let isText = false
  let words = 1
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index]
    if (byte === 0x22) isText = !isText
    else if (isText && byte === 0x5c) index += 1
    else if (!isText && byte === 0x2c && ++words > maxWords) return true
  }
  return false
}

const parse = (body: Uint8Array): unknown => {
  if (hasTooManyWords(body)) throw new BadRequest(tooManyWords)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body), asWritten)
  } catch {
    throw new BadRequest('ERR failed to parse the body: expected JSON in UTF-8')
  }
}

const argument = (value: unknown): string => {
  if (typeof value === 'string') {
    // Encoding would replace it by U+FFFD, so that different keys would become the same.
    if (/\p{Surrogate}/u.test(value)) {
      throw new BadRequest('ERR bad argument: half of a surrogate pair, which is not in UTF-8')
    }
    return value
  }
  if (typeof value === 'boolean' || value === null) return String(value)
  throw new BadRequest('ERR bad argument: expected a string, number, boolean or null')
}

const command = (value: unknown): RedisCommand => {
  if (!Array.isArray(value)) throw new BadRequest('ERR bad command: expected a JSON array')
  return toCommand(value.map(argument))
}

/**
 * Parses one command, such as `["SET", "key", 1]`.
 *
 * @throws `BadRequest` when the body is no JSON array that makes a command.
 */
export const parseCommand = (body: Uint8Array): RedisCommand => command(parse(body))

/**
 * Parses a list of commands, such as `[["SET", "key", 1], ["GET", "key"]]`.
 *
 * @throws `BadRequest` when the body is no JSON array of commands, or an empty one.
 */
export const parseCommands = (body: Uint8Array): RedisCommand[] => {
  const list = parse(body)
  if (!Array.isArray(list)) {
    throw new BadRequest('ERR bad request: expected a JSON array of commands')
  }
  if (list.length === 0) throw new BadRequest('ERR empty request: expected at least one command')
  return list.map(command)
}
