// Generated from waking-release.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const wakingReleaseScript: Script = {
  sha: '303f18540e8005918a178d36ed125733e88ea625',
  source: `local a=redis.call local b,c,d,e,f,g,h,i=unpack(ARGV)d,e,f=d+0,e+0,f+0 local j=table.remove(KEYS,1)local k=redis.pcall('TIME')local l=k[1]and k[1]*1000+math.floor(k[2]/1000)or f if not k[1]then e=math.max(e,86400000)end local m=5000 if b=='a'then f=math.max(l-m,math.min(l+m,f))end if g then local n=table.remove(KEYS)a('SETNX',n,g)g=a('GET',n)end if h then local n=table.remove(KEYS)local o=redis.pcall('INFO','server')local p=type(o)=='string'and o:match('run_id:%w+')or i and'-'local q=not k[1]and'TIME'or not p and'run_id'if not q then local r,s=(a('GET',n)or''):match('(%S+) (%d+)')if r~=p then s=l+h a('SET',n,('%s %.0f'):format(p,s))end if s-l>0 and b~='r'then return{b..c,'quarantined',s-l,'',0,g}end elseif b~='r'then return{b..c,'unfit',-1,q,0,g}end end local n,t,u=unpack(KEYS)local v=a('MGET',n,t)local w,x=v[1],v[2]local y=math.max(-1,a('PTTL',n))local z=((x or''):match('(%d+) ')or 0)+0 local A,B='absent',''if w==c then A=a('EXISTS',u)>0 and'absent'or'granted'a('DEL',n)if x then a('SET',t,x,'PX',e)end elseif w then A,B='locked','h'..w:gsub('^(........)[^ ]*','%1')end a('SET',u,'','PX',d)if A=='granted'then for C=1,32 do local D=a('ZPOPMIN',j)[1]if not D or a('PUBLISH',j..':'..D,'wake')>0 then break end end end return{b..c,A,y,B,z,g}`,
}

export const keyLockingWakingReleaseScript: Script = {
  sha: '5ea6731e6aa9a943fd1eb6d45e0c873983c73076',
  source: `#!lua flags=allow-key-locking\n${wakingReleaseScript.source}`,
}
