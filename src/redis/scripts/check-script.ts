// Generated from check.lua by `npm run generate`. Change it there.
import type { Script } from '../../protocol/script.ts'

export const checkScript: Script = {
  sha: 'b3739d77bd044fafde3b69a81c11684a574568a0',
  source: `local a=redis.pcall('SET',KEYS[1],ARGV[6],'NX')local b=redis.pcall('MGET',KEYS[1])local c=b[1]local d=redis.pcall('PTTL',KEYS[1])local e=redis.pcall('TIME')local f=redis.pcall('INFO')return{ARGV[1]..ARGV[2],type(c)=='string'and c or'',e[1]and e[1]*1000+math.floor(e[2]/1000)or 0,type(f)=='string'and f or'',type(a)=='table'and a.err or b.err or type(d)=='table'and d.err or'',e.err or'',type(f)=='table'and f.err or'',}`,
}
