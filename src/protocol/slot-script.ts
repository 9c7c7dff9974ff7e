// Generated from slot.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const slotScript: Script = {
  sha: '8b501671daad3d1b8681ab4ba977508704afdbcf',
  source: `local a=redis.call local b,c,d,e,f,u,g,h,i=unpack(ARGV)d,e,f=d+0,e+0,f+0 local j=c:match('^[^ ]*')local k=e>0 and 2 or 1 local l=redis.pcall('TIME')local m=l[1]and l[1]*1000+math.floor(l[2]/1000)or f if not l[1]then e=math.max(e,86400000)end local n=5000 if b=='a'then f=math.max(m-n,math.min(m+n,f))end if g then local o=table.remove(KEYS)a('SETNX',o,g)g=a('GET',o)end if h then local o=table.remove(KEYS)local p=redis.pcall('INFO','server')local q=type(p)=='string'and p:match('run_id:%w+')or i and'-'local r=not l[1]and'TIME'or not q and'run_id'if not r then local s,t=(a('GET',o)or''):match('(%S+) (%d+)')if s~=q then t=m+h a('SET',o,('%s %.0f'):format(q,t))end if t-m>0 and b~='r'then return{b..c,'quarantined',t-m,'',0,g}end elseif b~='r'then return{b..c,'unfit',-1,r,0,g}end end if a('EXISTS',table.remove(KEYS))>0 then for v=1,#KEYS,k do if a('GET',KEYS[v])==c then a('DEL',KEYS[v])end end return{b..c,'absent',-1,'',0,g}end local w,x=u:match('(%a+) (%d+)')local y=#KEYS/k local z,A,B,C=nil,nil,-1,'-'local D={}for E=0,y-1 do local F=(x-1+E)%y+1 local o=KEYS[(F-1)*k+1]local G=a('GET',o)local H=w=='any'or E==0 if G==c and not H then a('DEL',o)G=false end D[F]=G and G:sub(1,8)or'-'local I=a('PTTL',o)if G and G~=c and H and I>=0 and(B<0 or I<B)then B,C=I,D[F]end if G==c then z=z or F elseif not G and H then A=A or F end end local F=z or A local J=' '..table.concat(D,' ')if not F then if(J..' '):find(' - ',1,true)then B=0 end return{b..c,'locked',B,'h'..C..J,0,g}end local o,K=KEYS[(F-1)*k+1],0 local I=math.max(d,a('PTTL',o))a('SET',o,c,'PX',I)if k==2 then local L=KEYS[F*k]K=((a('GET',L)or''):match('(%d+) ')or 0)+0 K=math.max(z and K or K+1,f)a('SET',L,('%.0f %s'):format(K,j),'PX',I+e)end return{b..c,'granted',F,'h-'..J,K,g}`,
}

export const keyLockingSlotScript: Script = {
  sha: 'bdc07211e5fa9ac4fdcc0886c9a9d1633e57b317',
  source: `#!lua flags=allow-key-locking\n${slotScript.source}`,
}
