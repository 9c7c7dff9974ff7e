import { checkText } from '../protocol/keys.ts'
import { checkFunction, checkOptions, assertOption } from '../util/validate.ts'
import { checkFence, type Guard, StaleTokenError } from './guard.ts'
import { redisGuardScript } from './redis-guard-script.ts'

/** The part of a Redis client that the guard uses: `eval`, with the same signature as in `@upstash/redis`. */
export type RedisEval = {
  readonly eval: (script: string, keys: string[], args: string[]) => Promise<unknown>
}

/** Rejects writes to Redis by stale holders. */
export type RedisGuard = Guard & {
  /**
   * Runs one command, unless a higher token has been used for this resource. Check and command run atomically.
   *
   * @param command - The command and its arguments.
   * @param keys - The keys that the command accesses. Redis Cluster and some hosting providers require them.
   * @returns the command's reply, as the client parses it.
   * @throws `StaleTokenError` if a higher token has been used. The command has not run.
   * @throws any error of the command. The token has been stored, because it was not stale.
   */
  readonly run: (
    resource: string,
    token: number,
    command: readonly (string | number)[],
    keys?: readonly string[],
  ) => Promise<unknown>
}

/**
 * A fencing guard for data in Redis: one script checks the token and runs the command. The highest token of each
 * resource is stored under `prefix` + resource. It never expires, so a stale holder is rejected no matter how long it
 * was paused.
 *
 * @param redis - An `@upstash/redis` client, or any object with the same `eval`.
 * @param options.prefix - The prefix of the keys that store the tokens. Default `fence:`.
 * @throws `TypeError` if the client has no `eval`.
 * @example
 * ```ts
 * const guard = redisGuard(redis)
 * await guard.run('report:7', await lock.fencingToken(), ['SET', 'report:7', text], ['report:7'])
 * ```
 */
export const redisGuard = (redis: RedisEval, options: { prefix?: string } = {}): RedisGuard => {
  checkOptions('redisGuard()', options, 'prefix')
  const { prefix = 'fence:' } = options
  checkFunction('redis.eval', redis?.eval)
  checkText('prefix', prefix)
  const run: RedisGuard['run'] = async (resource, token, command, keys = []) => {
    checkFence(resource, token)
    const isList = (list: unknown): boolean =>
      Array.isArray(list) && list.every((one) => /^(string|number)$/.test(typeof one))
    assertOption(isList(command), 'command', 'a list of strings and numbers', command)
    assertOption(isList(keys), 'keys', 'a list of strings', keys)
    const words = [token, ...command].map(String)
    const reply = await redis.eval(redisGuardScript.source, [prefix + resource, ...keys], words)
    const [verdict, result] = reply as [unknown, unknown]
    if (verdict === 'stale') throw new StaleTokenError(resource, token, Number(result))
    if (verdict !== 'done') throw new Error('the guard script returned no valid reply')
    return result
  }
  return {
    run,
    advance: async (resource, token) => void (await run(resource, token, [])),
  }
}
