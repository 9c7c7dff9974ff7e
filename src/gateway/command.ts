/** One argument of a command: text, or bytes where the request carried what is not UTF-8. */
export type RedisArgument = string | Uint8Array

/** A command as the gateway hands it to a Redis client: its name in upper case, then arguments. */
export type RedisCommand = readonly [name: string, ...args: RedisArgument[]]

/** A request that never becomes a command. The message starts with an error code, like Redis's. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest'
}

// No Redis command has another character in its name, so what is decided about a name here is
// decided about the very bytes that Redis reads: no blank, NUL or look-alike letter gets past.
const commandName = /^[\w.-]{1,64}$/

/** True for what can be the name of a Redis command. */
export const isCommandName = (name: unknown): name is string =>
  typeof name === 'string' && commandName.test(name)

// Redis before 7 closes the connection on a longer command.
const maxWords = 1_048_576

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Bytes as text where they are UTF-8, so that simple Redis clients need no care; else unchanged. */
export const toArgument = (bytes: Uint8Array): RedisArgument => {
  try {
    return utf8.decode(bytes)
  } catch {
    return bytes
  }
}

/**
 * Checks the name and puts it in upper case: some clients know commands by their lower-case name
 * and reshape their replies (ioredis makes an object of HGETALL and loses binary field names).
 *
 * @throws {BadRequest} when there is no name, or one that no Redis command has; or too many arguments.
 */
export const toCommand = ([name, ...args]: readonly RedisArgument[]): RedisCommand => {
  if (name === undefined || name.length === 0) throw new BadRequest('ERR empty command')
  if (!isCommandName(name)) throw new BadRequest('ERR unknown command: its name is not a name')
  if (args.length >= maxWords)
    throw new BadRequest(`ERR too many arguments: ${maxWords - 1} at most`)
  return [name.toUpperCase(), ...args]
}
