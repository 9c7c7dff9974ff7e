// Generated from slot.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const slotScript: Script = {
  sha: 'fdfa9ffaada39a88362f9519f6bc28c04606867b',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,y,h,i,j=unpack(ARGV)e,f,g=e+0,f+0,g+0 local k=d:match('[^ ]*')local l=f>0 and 2 or 1 local m=redis.pcall('TIME')local n=m[1]and m[1]*1000+math.floor(m[2]/1000)or g if not m[1]then f=math.max(f,86400000)end if c=='a'then g=math.max(n-5000,math.min(n+5000,g))end local o=a('MGET',unpack(b))local p=#b local function q(r,s,...)return a('SET',b[r],s,o[r]and'XX'or'NX',...)or error('WRONGTYPE '..b[r])end if h then h=o[p]or q(p,h)and h p=p-1 end if i then local t=redis.pcall('INFO','server')local u=type(t)=='string'and t:match('run_id:%w+')or j and'-'local v=not m[1]and'TIME'or not u and'run_id'if not v then local w,x=(o[p]or''):match('(%S+) (%d+)')if w~=u then x=n+i q(p,('%s %.0f'):format(u,x))end if x-n>0 and c~='r'then return{c..d,'quarantined',x-n,'',0,h}end elseif c~='r'then return{c..d,'unfit',-1,v,0,h}end p=p-1 end if o[p]then for r=1,p-1,l do if o[r]==d then a('DEL',b[r])end end return{c..d,'absent',-1,'',0,h}end local z,A=y:match('(%a+) (%d+)')local B=(A-1)*l+1 local C,D,E local F,G={},0 for r=1,p-1,l do local H=o[r]if H==d then if z=='any'or r==B then C=C or r else a('DEL',b[r])H=false end end G=G+1 if H then F[G]=H:sub(1,8)else F[G]='-'if r<B then E=E or r else D=D or r end end end if z=='any'then D=D or E elseif D~=B then D=nil end local I=' '..table.concat(F,' ')local r=C or D if not r then local J,K=-1,'-'for L=1,G do local M=(L-1)*l+1 if z=='any'or M==B then local N=a('PTTL',b[M])if N>=0 and(J<0 or N<J)then J,K=N,F[L]end end end if(I..' '):find(' - ',1,true)then J=0 end return{c..d,'locked',J,'h'..K..I,0,h}end local O=0 if C then e=math.max(e,a('PTTL',b[C]))end q(r,d,'PX',e)if l>1 then O=((o[r+1]or''):match('(%d+) ')or 0)+0 O=math.max(C and O or O+1,g)q(r+1,('%.0f %s'):format(O,k),'PX',e+f)end return{c..d,'granted',(r-1)/l+1,'h-'..I,O,h}`,
}

export const keyLockingSlotScript: Script = {
  sha: 'c076a7c74ea9bfc8c62f31d895c78ebf4f27d85d',
  source: `#!lua flags=allow-key-locking\n${slotScript.source}`,
}
