// Generated from lock.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'
import { steps } from './steps.ts'

export const lockScript: Script = {
  sha: 'd7060b0b2f6383f6c64649dc35840d819f5e6875',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,h=unpack(ARGV)e,f,g=e+0,f+0,g+0 local i=d:match('[^ ]*')local j=f>0 and 2 or 1 ${steps} local v,w='granted',c=='a'or c=='e'if m[q]then v,w='absent',false end local x,y,z,A,B=-1,0,0 for o=1,q-1,j do local C=m[o]local D=j>1 and m[o+1]or''local E,F=D:match('(%d+) (.*)')y=math.max(y,(E or 0)+0)if not C then z=1 if not w or c=='e'and F~=i then v,w='absent',w and not F and k[1]if F=='-'..i:sub(1,8)then B=-2 end if w then g=math.max(g,l)end end elseif c=='r'and C==d then a('DEL',b[o])if E then n(o+1,D,'PX',f)end else local s=a('PTTL',b[o])x=math.max(x,s)if C~=d then w,A=false,'h'..r(C,s)end end end if c=='r'then n(q,'','PX',e)end if w then y=math.max(y+z,g)e=math.max(e,x)for o=1,q-1,j do n(o,d,'PX',e)if j>1 then n(o+1,('%.0f %s'):format(y,i),'PX',e+f)end end end return{c..d,A and'locked'or v,not A and B or x,A or'',y,h}`,
}
