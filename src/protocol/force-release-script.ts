// Generated from force-release.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'
import { steps } from './steps.ts'

export const forceReleaseScript: Script = {
  sha: '99b400d75c6f762a81335402880c2ebb443be994',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,v,h=unpack(ARGV)e,f,g=e+0,f+0,g+0 local i=d:match('[^ ]*')local j=f>0 and 2 or 1 ${steps} local w,x,y,z='absent',-1,0,''for o=1,q-1,j do local A=m[o]local B=(j>1 and m[o+1]or''):match('(%d+) ')y=math.max(y,(B or 0)+0)if A and A:sub(1,8)~=v then local s=a('PTTL',b[o])x=math.max(x,s)z='h'..r(A,s)else if A then a('DEL',b[o])w='granted'end if j>1 then local s=math.max(f,a('PTTL',b[o+1]))n(o+1,(B or'0')..' -'..v,'PX',s)end end end if z~=''and w=='absent'then w='locked'else z=''end return{c..d,w,x,z,y,h}`,
}
