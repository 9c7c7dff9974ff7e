// Generated from wait.lua by `npm run generate`. Change it there.
import type { Script } from '../../protocol/script.ts'

export const waitScript: Script = {
  sha: 'efe6a80d524d4b3687aada3658d842241ea743b7',
  source: `local a,b,c,d=unpack(ARGV)local e,f=unpack(KEYS)if a=='l'then redis.call('ZREM',e,b)else redis.call('ZADD',e,'NX',c,b)redis.call('PEXPIRE',e,d)redis.call('PUBLISH',e..':'..b,'hello')end return{a..b,1-redis.call('EXISTS',f)}`,
}
