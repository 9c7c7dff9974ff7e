// Generated from record.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const recordScript: Script = {
  sha: '939ff9028088331dbb0df47f65f4d2c7744fbfa7',
  source: `local a=redis.call local b,c,d,e,f,u,g,h,i=unpack(ARGV)d,e,f=d+0,e+0,f+0 local j=c:match('^[^ ]*')local l=redis.pcall('TIME')local m=l[1]and l[1]*1000+math.floor(l[2]/1000)or f if not l[1]then e=math.max(e,86400000)end local n=5000 if b=='a'then f=math.max(m-n,math.min(m+n,f))end if g then local o=table.remove(KEYS)a('SETNX',o,g)g=a('GET',o)end if h then local o=table.remove(KEYS)local p=redis.pcall('INFO','server')local q=type(p)=='string'and p:match('run_id:%w+')or i and'-'local r=not l[1]and'TIME'or not q and'run_id'if not r then local s,t=(a('GET',o)or''):match('(%S+) (%d+)')if s~=q then t=m+h a('SET',o,('%s %.0f'):format(q,t))end if t-m>0 and b~='r'then return{b..c,'quarantined',t-m,'',0,g}end elseif b~='r'then return{b..c,'unfit',-1,r,0,g}end end local o,v,w=unpack(KEYS)local x=a('GET',o)local y=math.max(-1,a('PTTL',o))local z=a('GET',v)or''local A,B=z:match('(%d+) (.*)')local C=(A or 0)+0 local D='^[^ ]* d (%d+) 'local E=x and x:match(D)local F,G='granted',''if x and x~=c then F,G='locked','h'..x:gsub('^(........)[^ ]*','%1')end if a('EXISTS',w)>0 then F,G='absent',''elseif b=='a'and(E or F=='granted')then C=math.max(C,(E or 0)+0)if x~=c and(B~=j or not E)then C=C+1 end C=math.max(C,f)local H=d if not E then H=math.max(d,y)a('SET',o,c,'PX',H)end a('SET',v,('%.0f %s'):format(C,j),'PX',H+e)elseif b=='c'then if x==u then F,G='granted',''elseif F=='granted'or E and E+0<u:match(D)+0 then F,G='absent',''if A and C<=f then F='granted'a('SET',o,u,'PX',d)end end end return{b..c,F,y,G,C,g}`,
}

export const keyLockingRecordScript: Script = {
  sha: '2e5322afa36a1c934e2e1cdca3ec078ffbb2c11c',
  source: `#!lua flags=allow-key-locking\n${recordScript.source}`,
}
