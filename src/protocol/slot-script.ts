// Generated from slot.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'
import { steps } from './steps.ts'

export const slotScript: Script = {
  sha: '4a986ed12fe937708127bb63fa4d16996e590d81',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,r,h=unpack(ARGV)e,f,g=e+0,f+0,g+0 local i=d:match('[^ ]*')local j=f>0 and 2 or 1 ${steps} if m[q]then for o=1,q-1,j do if m[o]==d then a('DEL',b[o])end end return{c..d,'absent',-1,'',0,h}end local s,t=r:match('(%a+) (%d+)')local u=(t-1)*j+1 local v,w,x local y,z={},0 for o=1,q-1,j do local A=m[o]if A==d then if s=='any'or o==u then v=v or o else a('DEL',b[o])A=false end end z=z+1 if A then y[z]=A:sub(1,8)else y[z]='-'if o<u then x=x or o else w=w or o end end end if s=='any'then w=w or x elseif w~=u then w=nil end local B=' '..table.concat(y,' ')local o=v or w if not o then local C,D=-1,'-'for E=1,z do local F=(E-1)*j+1 if s=='any'or F==u then local G=a('PTTL',b[F])if G>=0 and(C<0 or G<C)then C,D=G,y[E]end end end if(B..' '):find(' - ',1,true)then C=0 end return{c..d,'locked',C,'h'..D..B,0,h}end local H=0 if v then e=math.max(e,a('PTTL',b[v]))end n(o,d,'PX',e)if j>1 then H=((m[o+1]or''):match('(%d+) ')or 0)+0 H=math.max(v and H or H+1,g)n(o+1,('%.0f %s'):format(H,i),'PX',e+f)end return{c..d,'granted',(o-1)/j+1,'h-'..B,H,h}`,
}
