import { luaOf, type ScriptCall } from './commands.ts'
import type { LockNode, RedisRunOptions } from '../protocol/node.ts'

/** How scripts reach one Redis server. REST, ioredis, node-redis and `@upstash/redis` differ only in this. */
export type RedisTransport = Omit<LockNode, 'run'> & {
  /**
   * Sends EVALSHA with the hash of the script, or EVAL with its source.
   *
   * @throws `requestError`, whose message contains NOSCRIPT if the server has no script with the hash.
   */
  readonly send: (
    command: 'EVALSHA' | 'EVAL',
    call: ScriptCall,
    signal: AbortSignal,
  ) => Promise<unknown>
}

/** The text that identifies a script in a Redis command. */
export const nameOf = (command: 'EVALSHA' | 'EVAL', { script }: ScriptCall): string =>
  command === 'EVAL' ? script.source : script.sha

/** A node that is a Redis server. Only this type exposes that commands are Lua scripts there. */
export type RedisNode = LockNode & {
  /** The transport belongs to `run`, so a node that wraps this one by `{ ...node, run }` has none. */
  readonly run: LockNode['run'] & { readonly transport: RedisTransport }
}

/** A node that runs commands as scripts over this transport. */
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
