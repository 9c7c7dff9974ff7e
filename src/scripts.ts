/**
 * A Lua script with its SHA-1, which is a constant so that no request is spent on SCRIPT LOAD:
 * EVALSHA first, EVAL on NOSCRIPT. A test checks the hash against the source.
 */
export type Script = { readonly sha: string; readonly source: string }

/** What to do: acquire, extend or release. */
export type Operation = 'a' | 'e' | 'r'

/** One run of a script on one node: `args` are operation, value and ms. */
export type ScriptCall = {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly [operation: Operation, value: string, time: string]
}

/**
 * What the script answers: how many ms the key of another lives, and how its value begins, which
 * tells holders apart and proves nothing.
 */
export type Reply = {
  readonly status: 'granted' | 'locked' | 'absent'
  readonly ttl?: number
  readonly holder?: string
}

/**
 * The protocol on one node, in one script, so that one cached hash serves every step.
 *
 * KEYS: the lock keys, the tombstone. ARGV: operation, value, ms. => [operation .. value, code,
 * left, holder], where code 1: every key is (on release: was) held by this value; 0: a key is
 * another's, who holds it for left ms; -1: a key is absent, or this value was released before.
 *
 * - acquire: holds all keys or none for at least ms from now. Idempotent for its own value.
 * - extend: the same, but only where all keys are held already.
 * - release: deletes what this value holds, and leaves a tombstone for ms: HTTP keeps no order, so
 *   the acquire of this value may still be on its way, and must grant nothing when it arrives.
 *
 * A ttl is only ever lengthened, so that a request that is executed twice or late takes nothing
 * away. The reply begins with what it answers, so that the reply to another request (a mixed-up
 * pipeline, a cache) is never counted as a vote; the letter in front also keeps clients that parse
 * replies as JSON from turning a value into a number.
 */
export const lockScript: Script = {
  sha: 'd5804e32957a5c7749e733d0d23668aa16ef5a2c',
  source: `local call,op,own,ms,stone=redis.call,ARGV[1],ARGV[2],ARGV[3],table.remove(KEYS)
local gone,left,by=op=='a'and call('EXISTS',stone)==1
for _,key in ipairs(KEYS)do
local held=call('GET',key)
if not held then gone=gone or op~='a'
elseif held~=own then left,by=math.max(left or-1,call('PTTL',key)),'h'..held:sub(1,8)
elseif op=='r'then call('DEL',key)
end
end
if op=='r'then call('SET',stone,'','PX',ms)
elseif not(by or gone)then
for _,key in ipairs(KEYS)do
call('SET',key,own,'PX',ms,'NX')
if call('PTTL',key)<tonumber(ms)then call('PEXPIRE',key,ms)end
end
end
return{op..own,by and 0 or gone and-1 or 1,left,by}`,
}

/**
 * Reads a reply as it came over the wire.
 *
 * @throws when it is not this call's reply. The message repeats nothing of it.
 */
export const readReply = ({ args }: ScriptCall, reply: unknown): Reply => {
  const [id, code, ttl, holder] = Array.isArray(reply) ? (reply as unknown[]) : []
  if (id === args[0] + args[1]) {
    if (code === 1) return { status: 'granted' }
    if (code === -1) return { status: 'absent' }
    if (code === 0 && typeof ttl === 'number' && typeof holder === 'string') {
      return { status: 'locked', ttl, holder }
    }
  }
  throw new Error('not a reply of the script')
}
