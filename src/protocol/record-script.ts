// Generated from record.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const recordScript: Script = {
  sha: '350bb1bedbe07fbde2500768b9fba948adfcce91',
  source: `local a=redis.call local b,c,d,e,f,g,h,i,j=unpack(ARGV)d,e,f=d+0,e+0,f+0 local k=c:match('^[^ ]*')local l=redis.pcall('TIME')local m=l[1]and l[1]*1000+math.floor(l[2]/1000)or f if not l[1]then e=math.max(e,86400000)end local n=5000 if b=='a'then f=math.max(m-n,math.min(m+n,f))end if h then local o=table.remove(KEYS)a('SETNX',o,h)h=a('GET',o)end if i then local o=table.remove(KEYS)local p=redis.pcall('INFO','server')local q=type(p)=='string'and p:match('run_id:%w+')or j and'-'local r=not l[1]and'TIME'or not q and'run_id'if not r then local s,t=(a('GET',o)or''):match('(%S+) (%d+)')if s~=q then t=m+i a('SET',o,('%s %.0f'):format(q,t))end if t-m>0 and b~='r'then return{b..c,'quarantined',t-m,'',0,h}end elseif b~='r'then return{b..c,'unfit',-1,r,0,h}end end local o,u,v=unpack(KEYS)local w=a('GET',o)local x=math.max(-1,a('PTTL',o))local y=a('GET',u)or''local z,A=y:match('(%d+) (.*)')local B=(z or 0)+0 local C='^[^ ]* d (%d+) 'local D=w and w:match(C)local E,F='granted',''if w and w~=c then E,F='locked','h'..w:gsub('^(........)[^ ]*','%1')end if a('EXISTS',v)>0 then E,F='absent',''elseif b=='a'and(D or E=='granted')then B=math.max(B,(D or 0)+0)if w~=c and(A~=k or not D)then B=B+1 end B=math.max(B,f)local G=d if not D then G=math.max(d,x)a('SET',o,c,'PX',G)end a('SET',u,('%.0f %s'):format(B,k),'PX',G+e)elseif b=='c'then if w==g then E,F='granted',''elseif E=='granted'or D and D+0<g:match(C)+0 then E,F='absent',''if z and B<=f then E='granted'a('SET',o,g,'PX',d)end end end return{b..c,E,x,F,B,h}`,
}

export const keyLockingRecordScript: Script = {
  sha: 'd6e18b5777bda37a01525782fd1c2fbdf460ab47',
  source: `#!lua flags=allow-key-locking\n${recordScript.source}`,
}
