// Generated from record.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'
import { steps } from './steps.ts'

export const recordScript: Script = {
  sha: 'cea45d0ad191eb442b187b949ab96d4810e6319a',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,r,h=unpack(ARGV)e,f,g=e+0,f+0,g+0 local i=d:match('[^ ]*')${steps} local s,t,u=unpack(m)local v=-1 if s and(c=='a'or s~=d)then v=math.max(v,a('PTTL',b[1]))end local w,x=(t or''):match('(%d+) (.*)')local y=(w or 0)+0 local z='^[^ ]* d (%d+) 'local A=s and s:match(z)local B,C='granted',''if s and s~=d then B,C='locked','h'..s:gsub('^(........)[^ ]*','%1')end if u then B,C='absent',''elseif c=='a'and(A or B=='granted')then y=math.max(y,(A or 0)+0)if s~=d and(x~=i or not A)then y=y+1 end y=math.max(y,g)local D=e if not A then D=math.max(e,v)n(1,d,'PX',D)end n(2,('%.0f %s'):format(y,i),'PX',D+f)elseif c=='c'then if s==r then B,C='granted',''elseif B=='granted'or A and A+0<r:match(z)+0 then B,C='absent',''if w and y<=g then B='granted'n(1,r,'PX',e)end end end return{c..d,B,v,C,y,h}`,
}
