import { checkText } from '../protocol/keys.ts'
import { checkFunctions, expect } from '../util/validate.ts'
import { checkFence, type Guard, StaleTokenError } from './guard.ts'

/** What the guard needs of a Redis client: `eval` as `@upstash/redis` has it. */
export type RedisEval = {
  readonly eval: (script: string, keys: string[], args: string[]) => Promise<unknown>
}

/** Keeps stale holders out of a Redis. */
export type RedisGuard = Guard & {
  /**
   * Runs one command, unless a higher token was seen for this resource; at one go, so that nobody
   * comes in between.
   *
   * @param command - The command and its arguments.
   * @param keys - The keys that it touches. Redis Cluster and some hosts want to be told.
   * @returns the reply, as the client reads it.
   * @throws {StaleTokenError} when a higher one was seen; nothing was done then.
   * @throws the error of the command. The token has been noted then: it was good.
   */
  readonly run: (
    resource: string,
    token: number,
    command: readonly (string | number)[],
    keys?: readonly string[],
  ) => Promise<unknown>
}

// KEYS: the highest token, keys of the command. ARGV: the token, the command.
// => ['stale', highest] or ['done', reply]. What is stored is the text of the token as it came: Lua
// would write a number of 16 digits with 14 of them.
const script = `local h=redis.call('GET',KEYS[1])
if h and tonumber(h)>tonumber(ARGV[1])then return{'stale',h}end
redis.call('SET',KEYS[1],ARGV[1])
if ARGV[2]then return{'done',redis.call(unpack(ARGV,2))}end
return{'done'}`

/**
 * A fencing guard for data in a Redis: one script that compares the token and runs the command. The
 * highest token of each resource stays for good, at `prefix` + resource: were it to expire, a holder
 * that sleeps longer would get in.
 *
 * @param redis - An `@upstash/redis` client, or anything with such an `eval`.
 * @param options.prefix - Begins the keys of the tokens. Default `fence:`.
 * @throws {TypeError} when it has no `eval`.
 * @example
 * ```ts
 * const guard = redisGuard(redis)
 * await guard.run('report:7', await lock.fence(), ['SET', 'report:7', text], ['report:7'])
 * ```
 */
export const redisGuard = (redis: RedisEval, options: { prefix?: string } = {}): RedisGuard => {
  const { prefix = 'fence:' } = options
  checkFunctions({ 'redis.eval': redis?.eval })
  checkText('prefix', prefix)
  const run: RedisGuard['run'] = async (resource, token, command, keys = []) => {
    checkFence(resource, token)
    const isList = (list: unknown): boolean =>
      Array.isArray(list) && list.every((one) => /^(string|number)$/.test(typeof one))
    expect(isList(command), 'command', 'a list of strings and numbers', command)
    expect(isList(keys), 'keys', 'a list of strings', keys)
    const words = [token, ...command].map(String)
    const reply = await redis.eval(script, [prefix + resource, ...keys], words)
    const [verdict, result] = reply as [unknown, unknown]
    if (verdict === 'stale') throw new StaleTokenError(resource, token, Number(result))
    if (verdict !== 'done') throw new Error('no reply of the guard')
    return result
  }
  return {
    run,
    advance: async (resource, token) => void (await run(resource, token, [])),
  }
}
