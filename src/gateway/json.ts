import { BadRequest, maxWords, type RedisCommand, toCommand, tooManyWords } from './command.ts'

// Returns a number with the digits that the client wrote. 12345678901234567890 is a valid Redis argument, but
// JavaScript would round it. Runtimes that do not provide the source text fall back to `String()`.
// https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/JSON/parse#context
const asWritten = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? (context?.source ?? String(value)) : value

const utf8 = new TextDecoder('utf-8', { fatal: true })

// JavaScript never rounds a number with at most this many digits.
const maxExactDigits = 15

const [quote, backslash, comma, minus, point] = [0x22, 0x5c, 0x2c, 0x2d, 0x2e]

/**
 * Checks a body before it is parsed.
 *
 * Counts the array values, because V8 needs hundreds of bytes and microseconds for each of them. Without this check,
 * 10 MiB of one-digit arguments would block the process for seconds before they are rejected.
 *
 * @returns whether JavaScript would write all numbers in the body in the same way as the client.
 * @throws `BadRequest` if there are too many words.
 */
const hasPlainNumbers = (body: Uint8Array): boolean => {
  let isText = false
  let isPlain = true
  let words = 1
  let digits = 0
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index]!
    if (byte === quote) isText = !isText
    else if (isText) index += byte === backslash ? 1 : 0
    else if (byte >= 0x30 && byte <= 0x39) {
      if (++digits > maxExactDigits) isPlain = false
    } else {
      // An exponent is a letter after a digit.
      if (byte === minus || byte === point || (digits > 0 && (byte | 0x20) === 0x65))
        isPlain = false
      if (byte === comma && ++words > maxWords) throw new BadRequest(tooManyWords)
      digits = 0
    }
  }
  return isPlain
}

const parse = (body: Uint8Array): unknown => {
  // A reviver makes parsing several times slower.
  const reviver = hasPlainNumbers(body) ? undefined : asWritten
  try {
    return JSON.parse(utf8.decode(body), reviver)
  } catch {
    throw new BadRequest('ERR failed to parse the body: expected JSON in UTF-8')
  }
}

const argument = (value: unknown): string => {
  if (typeof value === 'string') {
    // The encoder would replace a lone surrogate with U+FFFD, so different keys could become equal.
    if (/\p{Surrogate}/u.test(value)) {
      throw new BadRequest('ERR bad argument: half of a surrogate pair, which UTF-8 cannot encode')
    }
    return value
  }
  if (typeof value !== 'object' || value === null) return String(value)
  throw new BadRequest('ERR bad argument: expected a string, number, boolean or null')
}

const command = (value: unknown): RedisCommand => {
  if (!Array.isArray(value)) throw new BadRequest('ERR bad command: expected a JSON array')
  return toCommand(value.map(argument))
}

/**
 * Parses one command, such as `["SET", "key", 1]`.
 *
 * @throws `BadRequest` if the body is not a JSON array with a valid command.
 */
export const parseCommand = (body: Uint8Array): RedisCommand => command(parse(body))

/**
 * Parses a list of commands, such as `[["SET", "key", 1], ["GET", "key"]]`.
 *
 * @throws `BadRequest` if the body is not a JSON array of commands, or is empty.
 */
export const parseCommands = (body: Uint8Array): RedisCommand[] => {
  const list = parse(body)
  if (!Array.isArray(list)) {
    throw new BadRequest('ERR bad request: expected a JSON array of commands')
  }
  if (list.length === 0) throw new BadRequest('ERR empty request: expected at least one command')
  return list.map(command)
}
