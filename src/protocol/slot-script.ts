// Generated from slot.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const slotScript: Script = {
  sha: 'e854fcd0a2dc6c8828731e5f882dabe478875385',
  source: `local a=redis.call local b,c,d,e,f,g,h,i,j=unpack(ARGV)d,e,f=d+0,e+0,f+0 local k=c:match('^[^ ]*')local l=e>0 and 2 or 1 local m=redis.pcall('TIME')local n=m[1]and m[1]*1000+math.floor(m[2]/1000)or f if not m[1]then e=math.max(e,86400000)end local o=5000 if b=='a'then f=math.max(n-o,math.min(n+o,f))end if h then local p=table.remove(KEYS)a('SETNX',p,h)h=a('GET',p)end if i then local p=table.remove(KEYS)local q=redis.pcall('INFO','server')local r=type(q)=='string'and q:match('run_id:%w+')or j and'-'local s=not m[1]and'TIME'or not r and'run_id'if not s then local t,u=(a('GET',p)or''):match('(%S+) (%d+)')if t~=r then u=n+i a('SET',p,('%s %.0f'):format(r,u))end if u-n>0 and b~='r'then return{b..c,'quarantined',u-n,'',0,h}end elseif b~='r'then return{b..c,'unfit',-1,s,0,h}end end if a('EXISTS',table.remove(KEYS))>0 then for v=1,#KEYS,l do if a('GET',KEYS[v])==c then a('DEL',KEYS[v])end end return{b..c,'absent',-1,'',0,h}end local w,x=g:match('(%a+) (%d+)')local y=#KEYS/l local z,A,B,C=nil,nil,-1,'-'local D={}for E=0,y-1 do local F=(x-1+E)%y+1 local p=KEYS[(F-1)*l+1]local G=a('GET',p)local H=w=='any'or E==0 if G==c and not H then a('DEL',p)G=false end D[F]=G and G:sub(1,8)or'-'local I=a('PTTL',p)if G and G~=c and H and I>=0 and(B<0 or I<B)then B,C=I,D[F]end if G==c then z=z or F elseif not G and H then A=A or F end end local F=z or A local J=' '..table.concat(D,' ')if not F then return{b..c,'locked',B,'h'..C..J,0,h}end local p,K=KEYS[(F-1)*l+1],0 local I=math.max(d,a('PTTL',p))a('SET',p,c,'PX',I)if l==2 then local L=KEYS[F*l]K=((a('GET',L)or''):match('(%d+) ')or 0)+0 K=math.max(z and K or K+1,f)a('SET',L,('%.0f %s'):format(K,k),'PX',I+e)end return{b..c,'granted',F,'h-'..J,K,h}`,
}

export const keyLockingSlotScript: Script = {
  sha: '5a13abd4b3b9e0862d9664bd4d553a538fa4440a',
  source: `#!lua flags=allow-key-locking\n${slotScript.source}`,
}
