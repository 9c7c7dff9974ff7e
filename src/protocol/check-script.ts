// Generated from check.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const checkScript: Script = {
  sha: '88946a3edf339be932d488e958151fae14ef441d',
  source: `local a=redis.pcall('SET',KEYS[1],ARGV[6],'NX')local b=redis.pcall('MGET',KEYS[1])[1]local c=redis.pcall('TIME')local d=redis.pcall('INFO')return{ARGV[1]..ARGV[2],type(b)=='string'and b or'',c[1]and c[1]*1000+math.floor(c[2]/1000)or 0,type(d)=='string'and d or'',type(a)=='table'and a.err or'',c.err or'',type(d)=='table'and d.err or'',}`,
}
