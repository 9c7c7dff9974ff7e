// Generated from slot.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'
import { steps } from './steps.ts'

export const slotScript: Script = {
  sha: 'fdfa9ffaada39a88362f9519f6bc28c04606867b',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,y,h,i,j=unpack(ARGV)e,f,g=e+0,f+0,g+0 local k=d:match('[^ ]*')local l=f>0 and 2 or 1 ${steps} if o[p]then for r=1,p-1,l do if o[r]==d then a('DEL',b[r])end end return{c..d,'absent',-1,'',0,h}end local z,A=y:match('(%a+) (%d+)')local B=(A-1)*l+1 local C,D,E local F,G={},0 for r=1,p-1,l do local H=o[r]if H==d then if z=='any'or r==B then C=C or r else a('DEL',b[r])H=false end end G=G+1 if H then F[G]=H:sub(1,8)else F[G]='-'if r<B then E=E or r else D=D or r end end end if z=='any'then D=D or E elseif D~=B then D=nil end local I=' '..table.concat(F,' ')local r=C or D if not r then local J,K=-1,'-'for L=1,G do local M=(L-1)*l+1 if z=='any'or M==B then local N=a('PTTL',b[M])if N>=0 and(J<0 or N<J)then J,K=N,F[L]end end end if(I..' '):find(' - ',1,true)then J=0 end return{c..d,'locked',J,'h'..K..I,0,h}end local O=0 if C then e=math.max(e,a('PTTL',b[C]))end q(r,d,'PX',e)if l>1 then O=((o[r+1]or''):match('(%d+) ')or 0)+0 O=math.max(C and O or O+1,g)q(r+1,('%.0f %s'):format(O,k),'PX',e+f)end return{c..d,'granted',(r-1)/l+1,'h-'..I,O,h}`,
}
