// Generated from lock.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const lockScript: Script = {
  sha: '735e04a6e54b65f279eb1ad2e95f9cd039a996f9',
  source: `local a=redis.call local b,c,d,e,f,g,h,i=unpack(ARGV)d,e,f=d+0,e+0,f+0 local j=c:match('^[^ ]*')local k=e>0 and 2 or 1 local l=redis.pcall('TIME')local m=l[1]and l[1]*1000+math.floor(l[2]/1000)or f if not l[1]then e=math.max(e,86400000)end local n=5000 if b=='a'then f=math.max(m-n,math.min(m+n,f))end if g then local o=table.remove(KEYS)a('SETNX',o,g)g=a('GET',o)end if h then local o=table.remove(KEYS)local p=redis.pcall('INFO','server')local q=type(p)=='string'and p:match('run_id:%w+')or i and'-'local r=not l[1]and'TIME'or not q and'run_id'if not r then local s,t=(a('GET',o)or''):match('(%S+) (%d+)')if s~=q then t=m+h a('SET',o,('%s %.0f'):format(q,t))end if t-m>0 and b~='r'then return{b..c,'quarantined',t-m,'',0,g}end elseif b~='r'then return{b..c,'unfit',-1,r,0,g}end end local u=table.remove(KEYS)local v,w='granted',b=='a'or b=='e'if a('EXISTS',u)>0 then v,w='absent',false end local x,y,z,A=-1,0,0 for B=1,#KEYS,k do local o=KEYS[B]local C=a('GET',o)local D=k==2 and a('GET',KEYS[B+1])or''local E,F=D:match('(%d+) (.*)')x=math.max(x,a('PTTL',o))y=math.max(y,(E or 0)+0)if not C then z=1 if not w or b=='e'and F~=j then v,w='absent',w and not F and l[1]if w then f=math.max(f,m)end end elseif C~=c then w,A=false,'h'..C:gsub('^(........)[^ ]*','%1')elseif b=='r'then a('DEL',o)if E then a('SET',KEYS[B+1],D,'PX',e)end end end if b=='r'then a('SET',u,'','PX',d)end if w then y=math.max(y+z,f)for B=1,#KEYS,k do local o=KEYS[B]local G=math.max(d,a('PTTL',o))a('SET',o,c,'PX',G)if k==2 then a('SET',KEYS[B+1],('%.0f %s'):format(y,j),'PX',G+e)end end end return{b..c,A and'locked'or v,x,A or'',y,g}`,
}

export const keyLockingLockScript: Script = {
  sha: '5fcd43b71d40644fd115f2c49a50c7852d5de553',
  source: `#!lua flags=allow-key-locking\n${lockScript.source}`,
}
