// Generated from wait.lua by `npm run generate`. Change it there.
import type { KeyLockedScript } from './script.ts'

export const waitScript: KeyLockedScript = {
  sha: 'efe6a80d524d4b3687aada3658d842241ea743b7',
  keyLockingSha: '50b73c691c5d292942dc29eb3d37e52f6266adba',
  source: `local a,b,c,d=unpack(ARGV)local e,f=unpack(KEYS)if a=='l'then redis.call('ZREM',e,b)else redis.call('ZADD',e,'NX',c,b)redis.call('PEXPIRE',e,d)redis.call('PUBLISH',e..':'..b,'hello')end return{a..b,1-redis.call('EXISTS',f)}`,
}
