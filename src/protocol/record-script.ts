// Generated from record.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'
import { steps } from './steps.ts'

export const recordScript: Script = {
  sha: '84e578bac75b4ab2991f7142c6b66adfe1156b40',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,y,h,i,j=unpack(ARGV)e,f,g=e+0,f+0,g+0 local k=d:match('[^ ]*')${steps} local z,A,B=unpack(o)local C=-1 if z and(c=='a'or z~=d)then C=math.max(C,a('PTTL',b[1]))end local D,E=(A or''):match('(%d+) (.*)')local F=(D or 0)+0 local G='^[^ ]* d (%d+) 'local H=z and z:match(G)local I,J='granted',''if z and z~=d then I,J='locked','h'..z:gsub('^(........)[^ ]*','%1')end if B then I,J='absent',''elseif c=='a'and(H or I=='granted')then F=math.max(F,(H or 0)+0)if z~=d and(E~=k or not H)then F=F+1 end F=math.max(F,g)local K=e if not H then K=math.max(e,C)q(1,d,'PX',K)end q(2,('%.0f %s'):format(F,k),'PX',K+f)elseif c=='c'then if z==y then I,J='granted',''elseif I=='granted'or H and H+0<y:match(G)+0 then I,J='absent',''if D and F<=g then I='granted'q(1,y,'PX',e)end end end return{c..d,I,C,J,F,h}`,
}
