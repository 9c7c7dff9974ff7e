/**
 * A Lua script with its SHA-1. The hash is a constant so that no request is spent on SCRIPT LOAD: a
 * node runs EVALSHA first, and EVAL where the server replies NOSCRIPT.
 */
export type Script = { readonly sha: string; readonly source: string }

/** Acquire, complete, extend, inspect or release. Only `record.lua` knows `c`. */
export type Operation = 'a' | 'c' | 'e' | 'i' | 'r'

/**
 * One run of a script on one node. The headers of `lock.lua` and `record.lua` describe the keys, the arguments and the
 * reply.
 */
export type ScriptCall = {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly [
    operation: Operation,
    owner: string,
    ttl: string,
    fenceTtl: string,
    minCounter: string,
    ...argumentAndIdentity: string[],
  ]
}

/** The keys and arguments of a script. */
export type ScriptInput = Pick<ScriptCall, 'keys' | 'args'>
