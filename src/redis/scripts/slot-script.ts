// Generated from slot.lua by `npm run generate`. Change it there.
import type { Script } from '../../protocol/script.ts'
import { steps } from './steps.ts'

export const slotScript: Script = {
  sha: 'd572f417a9cab36b48bcf32055381337e0e4e0e5',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,v,h=unpack(ARGV)e,f,g=e+0,f+0,g+0 local i=d:match('[^ ]*')local j=f>0 and 2 or 1 ${steps} if m[q]then for o=1,q-1,j do if m[o]==d then a('DEL',b[o])end end return{c..d,'absent',-1,'',0,h}end local w,x=v:match('(%a+) (%d+)')local y=(x-1)*j+1 local z,A,B local C,D={},0 for o=1,q-1,j do local E=m[o]if E==d then if w=='any'or o==y then z=z or o else a('DEL',b[o])E=false end end D=D+1 if E then C[D]=r(E,0):match('[^ ]*')else C[D]='-'if o<y then B=B or o else A=A or o end end end if w=='any'then A=A or B elseif A~=y then A=nil end local F=' '..table.concat(C,' ')local o=z or A if not o then local G,H=-1,'-'for I=1,D do local J=(I-1)*j+1 if w=='any'or J==y then local s=a('PTTL',b[J])if s>=0 and(G<0 or s<G)then G,H=s,C[I]end end end if(F..' '):find(' - ',1,true)then G=0 end return{c..d,'locked',G,'h'..H..F,0,h}end local K=0 if z then e=math.max(e,a('PTTL',b[z]))end n(o,d,'PX',e)if j>1 then K=((m[o+1]or''):match('(%d+) ')or 0)+0 K=math.max(z and K or K+1,g)n(o+1,('%.0f %s'):format(K,i),'PX',e+f)end return{c..d,'granted',(o-1)/j+1,'h-'..F,K,h}`,
}
