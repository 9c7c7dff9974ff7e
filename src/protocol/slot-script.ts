// Generated from slot.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const slotScript: Script = {
  sha: '5846e0a97fbd3de64db78d85388d9028378c8ad4',
  source: `local a=redis.call local b,c,d,e,f,g,h,i,j=unpack(ARGV)d,e,f=d+0,e+0,f+0 local k=c:match('^[^ ]*')local l=e>0 and 2 or 1 local m=redis.pcall('TIME')local n=m[1]and m[1]*1000+math.floor(m[2]/1000)or f if not m[1]then e=math.max(e,86400000)end local o=5000 if b=='a'then f=math.max(n-o,math.min(n+o,f))end if h then local p=table.remove(KEYS)a('SETNX',p,h)h=a('GET',p)end if i then local p=table.remove(KEYS)local q=redis.pcall('INFO','server')local r=type(q)=='string'and q:match('run_id:%w+')or j and'-'local s=not m[1]and'TIME'or not r and'run_id'if not s then local t,u=(a('GET',p)or''):match('(%S+) (%d+)')if t~=r then u=n+i a('SET',p,('%s %.0f'):format(r,u))end if u-n>0 and b~='r'then return{b..c,'quarantined',u-n,'',0,h}end elseif b~='r'then return{b..c,'unfit',-1,s,0,h}end end if a('EXISTS',table.remove(KEYS))>0 then for v=1,#KEYS,l do if a('GET',KEYS[v])==c then a('DEL',KEYS[v])end end return{b..c,'absent',-1,'',0,h}end local w,x=g:match('(%a+) (%d+)')local y=#KEYS/l local z,A,B,C,D=nil,nil,-1,'-',0 local E={}for F=0,y-1 do local G=(x-1+F)%y+1 local p=KEYS[(G-1)*l+1]local H=a('GET',p)local I=w=='any'or F==0 if H==c and not I then a('DEL',p)H=false end E[G]=H and H:sub(1,8)or'-'if H then D=D+1 end local J=a('PTTL',p)if H and H~=c and I and J>=0 and(B<0 or J<B)then B,C=J,E[G]end if H==c then z=z or G elseif not H and I then A=A or G end end local G=z or A local K=' '..table.concat(E,' ')if not G then return{b..c,'locked',B,'h'..C..K,0,h}end local p,L=KEYS[(G-1)*l+1],0 local J=math.max(d,a('PTTL',p))a('SET',p,c,'PX',J)if l==2 then local M=KEYS[G*l]L=((a('GET',M)or''):match('(%d+) ')or 0)+0 L=math.max(z and L or L+1,f)a('SET',M,('%.0f %s'):format(L,k),'PX',J+e)end if not z then D=D+1 end return{b..c,'granted',D*1000+G,'h-'..K,L,h}`,
}

export const keyLockingSlotScript: Script = {
  sha: '0894e21b0b17ab33b4c32b2b3eb71b44122bcd47',
  source: `#!lua flags=allow-key-locking\n${slotScript.source}`,
}
