// Generated from lock.lua by `npm run generate`. Change it there.
import type { Script } from '../../protocol/script.ts'
import { steps } from './steps.ts'

export const lockScript: Script = {
  sha: 'b136065c2fe11161ad509e353de79324811e1380',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,h=unpack(ARGV)e,f,g=e+0,f+0,g+0 local i=d:match('[^ ]*')local j=f>0 and 2 or 1 ${steps} local v,w='granted',c=='a'or c=='e'if m[q]then v,w='absent',false end local x,y,z,A,B,C=-1,0,0 for o=1,q-1,j do local D=m[o]local E=j>1 and m[o+1]or''local F,G=E:match('(%d+) (.*)')y=math.max(y,(F or 0)+0)if not D then z=1 if not w or c=='e'and G~=i then v,w='absent',w and not G and k[1]if G=='-'..i:sub(1,8)then B=-2 end if w then g=math.max(g,l)end end elseif c=='r'and D==d then a('DEL',b[o])if F then n(o+1,E,'PX',f)end else local s=a('PTTL',b[o])x=math.max(x,s)if D~=d then w,C=false,C or s<0 A=A~='hforeign'and'h'..r(D,s)or A end end end if c=='r'then n(q,'','PX',e)end if w then y=math.max(y+z,g)e=math.max(e,x)for o=1,q-1,j do n(o,d,'PX',e)if j>1 then n(o+1,('%.0f %s'):format(y,i),'PX',e+f)end end end return{c..d,A and'locked'or v,not A and B or C and-1 or x,A or'',y,h}`,
}
