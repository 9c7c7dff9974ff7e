// Generated from lock.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'
import { steps } from './steps.ts'

export const lockScript: Script = {
  sha: 'b891301323e0d9bfc1ebf5d933d2c991dae33f59',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,h,i,j=unpack(ARGV)e,f,g=e+0,f+0,g+0 local k=d:match('[^ ]*')local l=f>0 and 2 or 1 ${steps} local y,z='granted',c=='a'or c=='e'if o[p]then y,z='absent',false end local A,B,C,D,E=-1,0,0 for r=1,p-1,l do local F=o[r]local G=l>1 and o[r+1]or''local H,I=G:match('(%d+) (.*)')B=math.max(B,(H or 0)+0)if not F then C=1 if not z or c=='e'and I~=k then y,z='absent',z and not I and m[1]if I=='-'..k:sub(1,8)then E=-2 end if z then g=math.max(g,n)end end elseif c=='r'and F==d then a('DEL',b[r])if H then q(r+1,G,'PX',f)end else A=math.max(A,a('PTTL',b[r]))if F~=d then z,D=false,'h'..F:gsub('^(........)[^ ]*','%1')end end end if c=='r'then q(p,'','PX',e)end if z then B=math.max(B+C,g)e=math.max(e,A)for r=1,p-1,l do q(r,d,'PX',e)if l>1 then q(r+1,('%.0f %s'):format(B,k),'PX',e+f)end end end return{c..d,D and'locked'or y,not D and E or A,D or'',B,h}`,
}
