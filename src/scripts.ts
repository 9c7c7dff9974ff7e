import type { NodeReport } from './errors.ts'

/**
 * A Lua script with its SHA-1, which is a constant so that no request is spent on SCRIPT LOAD:
 * EVALSHA first, EVAL on NOSCRIPT. A test checks the hash against the source.
 */
export type Script = { readonly sha: string; readonly source: string }

/**
 * What to do: acquire, extend, inspect or release. Their order counts: those up to `e` write.
 */
export type Operation = 'a' | 'e' | 'i' | 'r'

/**
 * One run of a script on one node. `owner` is the value of a lock, followed by a space and its
 * metadata if it has any; `step` is 2 where every lock key is followed by its mark, else 1; with an
 * `identity`, the node tells its own, which is this one if it had none.
 */
export type ScriptCall = {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly [
    operation: Operation,
    owner: string,
    time: string,
    step: string,
    ...identity: string[],
  ]
}

/** What the script answers: the report of a node, and the identity of the node if asked for. */
export type Reply = Omit<NodeReport, 'node' | 'error'> & { readonly identity?: unknown }

/**
 * The protocol on one node, in one script, so that one cached hash serves every step.
 *
 * KEYS: the lock keys, each followed by its mark where step is 2; the tombstone; with an identity,
 * the key for it. ARGV: operation (o), owner (v), ms, step (n), identity (id).
 * => [operation .. owner, status (s), left, holder (by), identity]. The status is
 *
 * - granted: every key is (on release: was) held by this owner;
 * - locked: a key is another's (holder: the first eight bytes of its value, and its metadata);
 * - absent: a key is absent, or this owner has released before.
 *
 * left: ms that the keys live, the longest of them. And what it does (w: whether to write):
 *
 * - acquire: holds all keys or none for at least ms from now. Idempotent for its own owner. The
 *   mark remembers for an hour longer who acquired last.
 * - extend: the same where all keys are held. It puts a missing key back if the mark shows that
 *   nobody else has acquired it since, and says granted. It does so too where the mark
 *   is gone as well (the node came up empty) but says absent then, since it cannot know.
 * - inspect: reads only.
 * - release: deletes what this owner holds, and leaves a tombstone for ms: HTTP keeps no order, so
 *   an acquire or extend of this owner may still be on its way, and must do nothing on arrival.
 *
 * A ttl is only ever lengthened, so that a request that is executed twice or late takes nothing
 * away. The reply begins with what it answers, so that the reply to another request (a mixed-up
 * pipeline, a cache) is never counted as a vote; the letters in front also keep clients that parse
 * replies as JSON from turning text into a number.
 */
export const lockScript: Script = {
  sha: '6a49b947c7c743cc5b0e4423fa53787d4a266b5b',
  source: `local c,o,v,ms,n,id=redis.call,unpack(ARGV)
if id then
local k=table.remove(KEYS)
c('SETNX',k,id)
id=c('GET',k)
end
local x,left,s,w,by=table.remove(KEYS),-1,'granted',o<'f'
if c('EXISTS',x)>0 then s,w='absent'end
for i=1,#KEYS,n do
local k=KEYS[i]
local h=c('GET',k)
left=math.max(left,c('PTTL',k))
if not h then
local m=o=='e'and c('GET',KEYS[i+1])
if o>'a'and m~=v then s,w='absent',w and not m end
elseif h~=v then w,by=false,'h'..h:gsub('^(........)[^ ]*','%1')
elseif o=='r'then c('DEL',k)
end
end
if o=='r'then c('SET',x,'','PX',ms)end
for i=1,w and #KEYS or 0,n do
c('SET',KEYS[i],v,'PX',math.max(ms+0,c('PTTL',KEYS[i])))
if n=='2'then c('SET',KEYS[i+1],v,'PX',ms+3600000)end
end
return{o..v,by and'locked'or s,left,by or'',id}`,
}

/**
 * Reads a reply as it came over the wire.
 *
 * @throws when it is not this call's reply. The message repeats nothing of it.
 */
export const readReply = ({ args }: ScriptCall, reply: unknown): Reply => {
  // What is no list at all throws here.
  const [id, status, ttl, by, identity] = reply as unknown[]
  const fits =
    id === args[0] + args[1] &&
    ['granted', 'locked', 'absent'].includes(status as string) &&
    typeof ttl === 'number'
  if (!fits) throw new Error('no reply of Redis')
  const [holder, ...words] = (by as string).split(' ')
  return {
    status: status as Reply['status'],
    identity,
    ttl: ttl < 0 ? undefined : ttl,
    holder: holder || undefined,
    metadata: words.join(' ') || undefined,
  }
}
