import type { NodeReport, NodeStatus } from '../reports/node-report.ts'

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
 * metadata if it has any; `step` is 2 where every lock key is followed by its fence, else 1; `fence`
 * is what the counter is to reach. With an `identity`, the node tells its own, which is this one if
 * it had none. With a `quarantine` (ms), it abstains for so long once it has come up anew.
 */
export type ScriptCall = {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly [
    operation: Operation,
    owner: string,
    time: string,
    step: string,
    fence: string,
    ...identityAndQuarantine: string[],
  ]
  /** To be called for each further request that one run takes. */
  readonly onResend?: () => void
}

/**
 * The protocol on one node, in one script, so that one cached hash serves every step.
 *
 * KEYS: the lock keys, each followed by its fence where step is 2; the tombstone; with a quarantine
 * the key for it; with an identity the key for that. ARGV: operation (o), owner (v), ms, step (n),
 * fence (f), identity (id), quarantine (q).
 * => [operation .. owner, status (s), left, holder (by), counter (F), identity]. The status is
 *
 * - granted: every key is (on release: was) held by this owner;
 * - locked: a key is another's (holder: the first eight bytes of its value, and its metadata);
 * - absent: a key is absent, or this owner has released before;
 * - quarantined: the server is another than the one whose run was noted, or has lost that note. It
 *   may have forgotten locks, and abstains until all that it may have granted have expired.
 *
 * left: ms that the keys live, the longest of them; or the quarantine lasts. And what it does (w:
 * whether to write):
 *
 * - acquire: holds all keys or none for at least ms from now. Idempotent for its own owner.
 * - extend: the same where all keys are held. It puts a missing key back if the fence shows that
 *   nobody else has acquired it since, and says granted. It does so too where the fence
 *   is gone as well (the node came up empty) but says absent then, since it cannot know.
 * - inspect: reads only.
 * - release: deletes what this owner holds, and leaves a tombstone for ms: HTTP keeps no order, so
 *   an acquire or extend of this owner may still be on its way, and must do nothing on arrival.
 *
 * A fence is a counter (F) and who acquired last (m). The counter rises with every key that comes to
 * be held (d), which is what the proof of the fencing token rests on, and at least to f. On acquire
 * that is the client's clock, as far as the node's (t) agrees with it within 5 s: so it rises above
 * what it was even where that was lost; as it does, by the node's clock, where an extend puts a key
 * back that has no fence. It lives a day longer than the lock.
 *
 * A ttl is only ever lengthened, so that a request that is executed twice or late takes nothing
 * away. The reply begins with what it answers, so that the reply to another request (a mixed-up
 * pipeline, a cache) is never counted as a vote; the letters in front also keep clients that parse
 * replies as JSON from turning text into a number.
 */
export const lockScript: Script = {
  sha: 'ecdbc8d295f43edf30325cee3b8af0c94edd6cb7',
  source: `local c,o,v,ms,n,f,id,q=redis.call,unpack(ARGV)
local t,x,F,d,left,s,w,by=redis.pcall('TIME'),table.remove(KEYS),0,0,-1,'granted',o<'f'
t=t[1]and t[1]*1000+math.floor(t[2]/1000)or f+0
if o=='a'then f=math.max(t-5000,math.min(t+5000,f+0))end
if id then
c('SETNX',x,id)
id,x=c('GET',x),table.remove(KEYS)
end
if q then
local i=redis.pcall('INFO','server')
i=type(i)=='string'and i:match'run_id:%w+'or'-'
local u,e=(c('GET',x)or''):match'(%S+) (%d+)'
if u~=i then
e=t+q
c('SET',x,i..' '..e)
end
if e-t>0 and o<'r'then return{o..v,'quarantined',e-t,'',0,id}end
x=table.remove(KEYS)
end
if c('EXISTS',x)>0 then s,w='absent'end
for i=1,#KEYS,n do
local k=KEYS[i]
local h,u,m=c('GET',k),(n=='2'and c('GET',KEYS[i+1])or''):match'(%d+) (.*)'
left,F=math.max(left,c('PTTL',k)),math.max(F,(u or 0)+0)
if not h then
d=1
if o>'e'or o>'a'and m~=v then
s,w='absent',w and not m
if w then f=math.max(f+0,t)end
end
elseif h~=v then w,by=false,'h'..h:gsub('^(........)[^ ]*','%1')
elseif o=='r'then c('DEL',k)
end
end
if o=='r'then c('SET',x,'','PX',ms)end
if w then
F=math.max(F+d,f+0)
for i=1,#KEYS,n do
c('SET',KEYS[i],v,'PX',math.max(ms+0,c('PTTL',KEYS[i])))
if n=='2'then c('SET',KEYS[i+1],('%.0f %s'):format(F,v),'PX',ms+86400000)end
end
end
return{o..v,by and'locked'or s,left,by or'',F,id}`,
}

/**
 * Reads a reply as it came over the wire: the report of that node. `echo` is the operation and the
 * owner that were sent; what is not the reply to that is an error, which repeats nothing of it.
 */
export const readReply = (echo: string, reply: unknown, node: string): NodeReport => {
  try {
    // What is no list at all, or has no text in its place, throws here.
    const [id, status, left, by, fence] = reply as [string, NodeStatus, number, string, number]
    const isReply = id === echo && Number.isSafeInteger(left) && Number.isSafeInteger(fence)
    const ttl = left < 0 ? undefined : left
    if (isReply && status === 'locked') {
      const [holder, ...words] = by.split(' ')
      const metadata = words.join(' ') || undefined
      // A longer holder would show more of a secret than the script does.
      if (holder && !holder[9]) return { node, status, ttl, fence, holder, metadata }
    }
    const isFree = status === 'granted' || status === 'absent' || status === 'quarantined'
    if (isReply && isFree && by === '') {
      const error = status === 'quarantined' ? new Error(status) : undefined
      return { node, status, ttl, fence, error }
    }
  } catch {}
  return { node, status: 'error', error: new Error('no reply of Redis') }
}
