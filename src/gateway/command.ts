/** One argument of a command: text, or bytes if the argument is not valid UTF-8. */
export type RedisArgument = string | Uint8Array

/** A command for a Redis client: the name in upper case, then the arguments. */
export type RedisCommand = readonly [name: string, ...args: RedisArgument[]]

/** The error for an invalid command. As in Redis, its message starts with an error code. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest'
}

// The characters in the names of Redis commands. Blanks, NUL and look-alike letters are rejected, so that Redis sees
// exactly the name that was checked.
const commandName = /^[\w.-]{1,64}$/

/** Whether a value can be the name of a Redis command. */
export const isCommandName = (name: unknown): name is string =>
  typeof name === 'string' && commandName.test(name)

/** The maximum number of words in a request. Before version 7, Redis closes the connection on a longer command. */
export const maxWords = 1_048_576

/** The error for a request with more words. */
export const tooManyWords: string = `ERR too many arguments: ${maxWords - 1} at most`

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes valid UTF-8, because simple Redis clients accept only text. Returns other bytes unchanged. */
export const toArgument = (bytes: Uint8Array): RedisArgument => {
  try {
    return utf8.decode(bytes)
  } catch {
    return bytes
  }
}

/**
 * Checks a command and converts its name to upper case. Some clients convert the replies to lower-case commands:
 * ioredis turns the reply to `hgetall` into an object, and loses binary fields.
 *
 * @throws `BadRequest` if the name is missing or invalid, or if there are too many arguments.
 */
export const toCommand = ([name, ...args]: readonly RedisArgument[]): RedisCommand => {
  if (name === undefined || name.length === 0) throw new BadRequest('ERR empty command')
  if (!isCommandName(name)) throw new BadRequest('ERR unknown command: invalid name')
  if (args.length >= maxWords) throw new BadRequest(tooManyWords)
  return [name.toUpperCase(), ...args]
}
