// Generated from waking-release.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const wakingReleaseScript: Script = {
  sha: '5bd2c985a1fb5a1e51d262beadc994793e810e9c',
  source: `local a=redis.call local b,c,d,e,f,g,h,i=unpack(ARGV)d,e,f=d+0,e+0,f+0 local u=table.remove(KEYS,1)local l=redis.pcall('TIME')local m=l[1]and l[1]*1000+math.floor(l[2]/1000)or f if not l[1]then e=math.max(e,86400000)end local n=5000 if b=='a'then f=math.max(m-n,math.min(m+n,f))end if g then local o=table.remove(KEYS)a('SETNX',o,g)g=a('GET',o)end if h then local o=table.remove(KEYS)local p=redis.pcall('INFO','server')local q=type(p)=='string'and p:match('run_id:%w+')or i and'-'local r=not l[1]and'TIME'or not q and'run_id'if not r then local s,t=(a('GET',o)or''):match('(%S+) (%d+)')if s~=q then t=m+h a('SET',o,('%s %.0f'):format(q,t))end if t-m>0 and b~='r'then return{b..c,'quarantined',t-m,'',0,g}end elseif b~='r'then return{b..c,'unfit',-1,r,0,g}end end local o,v,w=unpack(KEYS)local x=a('MGET',o,v)local y,z=x[1],x[2]local A=math.max(-1,a('PTTL',o))local B=((z or''):match('(%d+) ')or 0)+0 local C,D='absent',''if y==c then C=a('EXISTS',w)>0 and'absent'or'granted'a('DEL',o)if z then a('SET',v,z,'PX',e)end elseif y then C,D='locked','h'..y:gsub('^(........)[^ ]*','%1')end a('SET',w,'','PX',d)if C=='granted'then for E=1,32 do local F=a('ZPOPMIN',u)[1]if not F or a('PUBLISH',u..':'..F,'wake')>0 then break end end end return{b..c,C,A,D,B,g}`,
}

export const keyLockingWakingReleaseScript: Script = {
  sha: '0518e0c7519d4514b6c8db4431ed17ab9f50fe1b',
  source: `#!lua flags=allow-key-locking\n${wakingReleaseScript.source}`,
}
