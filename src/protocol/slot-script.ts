// Generated from slot.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const slotScript: Script = {
  sha: '14ea1cbfa562e47a304833ffbda158296d4884d2',
  source: `local a=redis.call local b,c,d,e,f,g,h,i,j=unpack(ARGV)d,e,f=d+0,e+0,f+0 local k=c:match('^[^ ]*')local l=e>0 and 2 or 1 local m=redis.pcall('TIME')local n=m[1]and m[1]*1000+math.floor(m[2]/1000)or f if not m[1]then e=math.max(e,86400000)end local o=5000 if b=='a'then f=math.max(n-o,math.min(n+o,f))end if h then local p=table.remove(KEYS)a('SETNX',p,h)h=a('GET',p)end if i then local p=table.remove(KEYS)local q=redis.pcall('INFO','server')local r=type(q)=='string'and q:match('run_id:%w+')or j and'-'local s=not m[1]and'TIME'or not r and'run_id'if not s then local t,u=(a('GET',p)or''):match('(%S+) (%d+)')if t~=r then u=n+i a('SET',p,('%s %.0f'):format(r,u))end if u-n>0 and b~='r'then return{b..c,'quarantined',u-n,'',0,h}end elseif b~='r'then return{b..c,'unfit',-1,s,0,h}end end if a('EXISTS',table.remove(KEYS))>0 then return{b..c,'absent',-1,'',0,h}end local v,w=g:match('(%a+) (%d+)')local x=#KEYS/l local y,z,A,B,C=nil,nil,-1,'-',0 local D={}for E=0,x-1 do local F=(w-1+E)%x+1 local p=KEYS[(F-1)*l+1]local G=a('GET',p)local H=v=='any'or E==0 if G==c and not H then a('DEL',p)G=false end D[F]=G and G:sub(1,8)or'-'if G then C=C+1 end local I=a('PTTL',p)if G and G~=c and H and I>=0 and(A<0 or I<A)then A,B=I,D[F]end if G==c then y=y or F elseif not G and H then z=z or F end end local F=y or z local J=' '..table.concat(D,' ')if not F then return{b..c,'locked',A,'h'..B..J,0,h}end local p,K=KEYS[(F-1)*l+1],0 local I=math.max(d,a('PTTL',p))a('SET',p,c,'PX',I)if l==2 then local L=KEYS[F*l]K=((a('GET',L)or''):match('(%d+) ')or 0)+0 K=math.max(y and K or K+1,f)a('SET',L,('%.0f %s'):format(K,k),'PX',I+e)end if not y then C=C+1 end return{b..c,'granted',C*1000+F,'h-'..J,K,h}`,
}

export const keyLockingSlotScript: Script = {
  sha: 'ee4be0851d2395a2ce6c12cc8f0670796a734993',
  source: `#!lua flags=allow-key-locking\n${slotScript.source}`,
}
