// Generated from lock.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'
import { steps } from './steps.ts'

export const lockScript: Script = {
  sha: '031476023df90b3422b410339f68ffef4bb10312',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,h=unpack(ARGV)e,f,g=e+0,f+0,g+0 local i=d:match('[^ ]*')local j=f>0 and 2 or 1 ${steps} local r,s='granted',c=='a'or c=='e'if m[q]then r,s='absent',false end local t,u,v,w,x=-1,0,0 for o=1,q-1,j do local y=m[o]local z=j>1 and m[o+1]or''local A,B=z:match('(%d+) (.*)')u=math.max(u,(A or 0)+0)if not y then v=1 if not s or c=='e'and B~=i then r,s='absent',s and not B and k[1]if B=='-'..i:sub(1,8)then x=-2 end if s then g=math.max(g,l)end end elseif c=='r'and y==d then a('DEL',b[o])if A then n(o+1,z,'PX',f)end else t=math.max(t,a('PTTL',b[o]))if y~=d then s,w=false,'h'..y:gsub('^(........)[^ ]*','%1')end end end if c=='r'then n(q,'','PX',e)end if s then u=math.max(u+v,g)e=math.max(e,t)for o=1,q-1,j do n(o,d,'PX',e)if j>1 then n(o+1,('%.0f %s'):format(u,i),'PX',e+f)end end end return{c..d,w and'locked'or r,not w and x or t,w or'',u,h}`,
}
