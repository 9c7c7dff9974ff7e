// Generated from waking-release.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const wakingReleaseScript: Script = {
  sha: 'db286d1b3291a696535f73cecbd5229c00c6ea9a',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,h,i,j=unpack(ARGV)e,f,g=e+0,f+0,g+0 local y=table.remove(b,1)local m=redis.pcall('TIME')local n=m[1]and m[1]*1000+math.floor(m[2]/1000)or g if not m[1]then f=math.max(f,86400000)end if c=='a'then g=math.max(n-5000,math.min(n+5000,g))end local o=a('MGET',unpack(b))local p=#b local function q(r,s,...)return a('SET',b[r],s,o[r]and'XX'or'NX',...)or error('WRONGTYPE '..b[r])end if h then h=o[p]or q(p,h)and h p=p-1 end if i then local t=redis.pcall('INFO','server')local u=type(t)=='string'and t:match('run_id:%w+')or j and'-'local v=not m[1]and'TIME'or not u and'run_id'if not v then local w,x=(o[p]or''):match('(%S+) (%d+)')if w~=u then x=n+i q(p,('%s %.0f'):format(u,x))end if x-n>0 and c~='r'then return{c..d,'quarantined',x-n,'',0,h}end elseif c~='r'then return{c..d,'unfit',-1,v,0,h}end p=p-1 end local z,A,B=unpack(o)local C=((A or''):match('(%d+) ')or 0)+0 local D,E,F=-1,'absent',''if z==d then E=B and'absent'or'granted'a('DEL',b[1])if A then q(2,A,'PX',f)end elseif z then D=math.max(D,a('PTTL',b[1]))E,F='locked','h'..z:gsub('^(........)[^ ]*','%1')end q(p,'','PX',e)if E=='granted'then for G=1,32 do local H=a('ZPOPMIN',y)[1]if not H or a('PUBLISH',y..':'..H,'wake')>0 then break end end end return{c..d,E,D,F,C,h}`,
}

export const keyLockingWakingReleaseScript: Script = {
  sha: '4260c08aeeea9a0099b044bf8cc28690675c8c7f',
  source: `#!lua flags=allow-key-locking\n${wakingReleaseScript.source}`,
}
