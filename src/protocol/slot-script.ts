// Generated from slot.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const slotScript: Script = {
  sha: 'cd4fe395eaed6306abf9639a1f56dcebbe6c6703',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,y,h,i,j=unpack(ARGV)e,f,g=e+0,f+0,g+0 local k=d:match('[^ ]*')local l=f>0 and 2 or 1 local m=redis.pcall('TIME')local n=m[1]and m[1]*1000+math.floor(m[2]/1000)or g if not m[1]then f=math.max(f,86400000)end if c=='a'then g=math.max(n-5000,math.min(n+5000,g))end local o=a('MGET',unpack(b))local p=#b local function q(r,s,...)return a('SET',b[r],s,o[r]and'XX'or'NX',...)or error('WRONGTYPE '..b[r])end if h then h=o[p]or q(p,h)and h p=p-1 end if i then local t=redis.pcall('INFO','server')local u=type(t)=='string'and t:match('run_id:%w+')or j and'-'local v=not m[1]and'TIME'or not u and'run_id'if not v then local w,x=(o[p]or''):match('(%S+) (%d+)')if w~=u then x=n+i q(p,('%s %.0f'):format(u,x))end if x-n>0 and c~='r'then return{c..d,'quarantined',x-n,'',0,h}end elseif c~='r'then return{c..d,'unfit',-1,v,0,h}end p=p-1 end if o[p]then for r=1,p-1,l do if o[r]==d then a('DEL',b[r])end end return{c..d,'absent',-1,'',0,h}end local z,A=y:match('(%a+) (%d+)')local B,C local D={}for E=0,p-2,l do local r=((A-1)*l+E)%(p-1)+1 local F=o[r]local G=z=='any'or E==0 if F==d and not G then a('DEL',b[r])F=false end D[(r+l-1)/l]=F and F:sub(1,8)or'-'if F==d then B=B or r elseif not F and G then C=C or r end end local H=' '..table.concat(D,' ')local r=B or C if not r then local I,J=-1,'-'for E=0,z=='any'and p-2 or 0,l do local K=((A-1)*l+E)%(p-1)+1 local L=a('PTTL',b[K])if L>=0 and(I<0 or L<I)then I,J=L,o[K]:sub(1,8)end end if(H..' '):find(' - ',1,true)then I=0 end return{c..d,'locked',I,'h'..J..H,0,h}end local M=0 if B then e=math.max(e,a('PTTL',b[B]))end q(r,d,'PX',e)if l>1 then M=((o[r+1]or''):match('(%d+) ')or 0)+0 M=math.max(B and M or M+1,g)q(r+1,('%.0f %s'):format(M,k),'PX',e+f)end return{c..d,'granted',(r+l-1)/l,'h-'..H,M,h}`,
}

export const keyLockingSlotScript: Script = {
  sha: '649e0d599606f502c5790700327f8fba6e0f2c4a',
  source: `#!lua flags=allow-key-locking\n${slotScript.source}`,
}
