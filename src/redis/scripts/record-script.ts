// Generated from record.lua by `npm run generate`. Change it there.
import type { Script } from '../../protocol/script.ts'
import { steps } from './steps.ts'

export const recordScript: Script = {
  sha: 'c38d1ef02900e8a91b33383ba4a938b5256563db',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,v,h=unpack(ARGV)e,f,g=e+0,f+0,g+0 local i=d:match('[^ ]*')${steps} local w,x,y=unpack(m)local z=-1 if w and(c=='a'or w~=d)then z=math.max(z,a('PTTL',b[1]))end local A,B=(x or''):match('(%d+) (.*)')local C=(A or 0)+0 local D='^[^ ]* d (%d+) 'local E=w and w:match(D)local F,G='granted',''if w and w~=d then F,G='locked','h'..r(w,z)end if y then F,G='absent',''elseif c=='a'and(E or F=='granted')then C=math.max(C,(E or 0)+0)if w~=d and(B~=i or not E)then C=C+1 end C=math.max(C,g)local s=e if not E then s=math.max(e,z)n(1,d,'PX',s)end n(2,('%.0f %s'):format(C,i),'PX',s+f)elseif c=='c'then if w==v then F,G='granted',''elseif F=='granted'or E and E+0<v:match(D)+0 then F,G='absent',''if A and C<=g then F='granted'n(1,v,'PX',e)end end end return{c..d,F,z,G,C,h}`,
}
