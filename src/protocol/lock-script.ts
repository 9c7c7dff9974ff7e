// Generated from lock.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'
import { steps } from './steps.ts'

export const lockScript: Script = {
  sha: '8bb16241c4ba397ea42e7b090bb38905ecdd6dd8',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,h,i,j=unpack(ARGV)e,f,g=e+0,f+0,g+0 local k=d:match('[^ ]*')local l=f>0 and 2 or 1 ${steps} local y,z='granted',c=='a'or c=='e'if o[p]then y,z='absent',false end local A,B,C,D=-1,0,0 for r=1,p-1,l do local E=o[r]local F=l>1 and o[r+1]or''local G,H=F:match('(%d+) (.*)')B=math.max(B,(G or 0)+0)if not E then C=1 if not z or c=='e'and H~=k then y,z='absent',z and not H and m[1]if H=='-'then A=-2 end if z then g=math.max(g,n)end end elseif c=='r'and E==d then a('DEL',b[r])if G then q(r+1,F,'PX',f)end else A=math.max(A,a('PTTL',b[r]))if E~=d then z,D=false,'h'..E:gsub('^(........)[^ ]*','%1')end end end if c=='r'then q(p,'','PX',e)end if z then B=math.max(B+C,g)e=math.max(e,A)for r=1,p-1,l do q(r,d,'PX',e)if l>1 then q(r+1,('%.0f %s'):format(B,k),'PX',e+f)end end end return{c..d,D and'locked'or y,A,D or'',B,h}`,
}
