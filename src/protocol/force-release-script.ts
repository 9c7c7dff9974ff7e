// Generated from force-release.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'
import { steps } from './steps.ts'

export const forceReleaseScript: Script = {
  sha: 'ade4d49e15e112e279743208b7ee62ec157d8ecc',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,r,h=unpack(ARGV)e,f,g=e+0,f+0,g+0 local i=d:match('[^ ]*')local j=f>0 and 2 or 1 ${steps} local s,t,u,v='absent',-1,0,''for o=1,q-1,j do local w=m[o]local x=(j>1 and m[o+1]or''):match('(%d+) ')u=math.max(u,(x or 0)+0)if w and w:sub(1,8)~=r then t=math.max(t,a('PTTL',b[o]))v='h'..w:gsub('^(........)[^ ]*','%1')else if w then a('DEL',b[o])s='granted'end if j>1 then local y=math.max(f,a('PTTL',b[o+1]))n(o+1,(x or'0')..' -'..r,'PX',y)end end end if v~=''and s=='absent'then s='locked'else v=''end return{c..d,s,t,v,u,h}`,
}
