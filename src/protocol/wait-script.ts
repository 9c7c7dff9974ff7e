// Generated from wait.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const waitScript: Script = {
  sha: '994ffb70725e5e79e1507af560b3af11ca7d0eda',
  source: `local a,b,c,d=unpack(ARGV)local e,f=unpack(KEYS)if a=='l'then redis.call('ZREM',e,b)else redis.call('ZADD',e,'NX',c,b)redis.call('PEXPIRE',e,d)redis.call('PUBLISH',e..':'..b,'hello')end return{a..b,redis.call('MGET',f)[1]and 0 or 1}`,
}

export const keyLockingWaitScript: Script = {
  sha: '92e2a7ccb84b252b7337549b23e8d8bb75916cac',
  source: `#!lua flags=allow-key-locking\n${waitScript.source}`,
}
