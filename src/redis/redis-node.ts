import { luaOf, type ScriptCall } from './commands.ts'
import type { LockNode, RedisRunOptions } from '../protocol/node.ts'

/**
 * Sends scripts to one Redis server. Nodes over REST, ioredis, node-redis and `@upstash/redis` differ only in their
 * transport.
 */
export type RedisTransport = Omit<LockNode, 'run'> & {
  /**
   * Sends EVALSHA with the hash of the script, or EVAL with the source.
   *
   * @throws `requestError`, whose message contains NOSCRIPT if the server has not cached a script with this hash.
   */
  readonly send: (
    command: 'EVALSHA' | 'EVAL',
    call: ScriptCall,
    signal: AbortSignal,
  ) => Promise<unknown>
}

/** The hash or the source of the script, whichever the command expects. */
export const nameOf = (command: 'EVALSHA' | 'EVAL', { script }: ScriptCall): string =>
  command === 'EVAL' ? script.source : script.sha

/** A node that is a Redis server. Only this type shows that its commands run as Lua scripts. */
export type RedisNode = LockNode & {
  /** The transport is a property of `run`, so a wrapper of the form `{ ...node, run }` does not inherit it. */
  readonly run: LockNode['run'] & { readonly transport: RedisTransport }
}

/** Creates a node that runs commands as scripts over this transport. */
export const redisNode = (transport: RedisTransport): RedisNode => {
  const { send, ...properties } = transport
  const run: LockNode['run'] = async (command, options) => {
    const { signal, onResend } = options
    const { encodeCommand, decode } = luaOf(command)
    const call = encodeCommand(command, options as RedisRunOptions)
    let reply: unknown
    try {
      reply = await send('EVALSHA', call, signal)
    } catch (error) {
      // The server has not cached the script yet.
      if (!(error as Error).message.includes('NOSCRIPT')) throw error
      signal.throwIfAborted()
      onResend?.()
      reply = await send('EVAL', call, signal)
    }
    return decode(command, call.echo, reply)
  }
  return { ...properties, run: Object.assign(run, { transport }) }
}
