// Generated from force-release.lua by `npm run generate`. Change it there.
import type { Script } from '../../protocol/script.ts'
import { steps } from './steps.ts'

export const forceReleaseScript: Script = {
  sha: '41807a72dee73ffc606d1fd03b0f6978714e9406',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,v,h=unpack(ARGV)e,f,g=e+0,f+0,g+0 local i=d:match('[^ ]*')local j=f>0 and 2 or 1 ${steps} local w,x,y,z,A='absent',-1,0,''for o=1,q-1,j do local B=m[o]local C=(j>1 and m[o+1]or''):match('(%d+) ')y=math.max(y,(C or 0)+0)if B and B:sub(1,8)~=v then local s=a('PTTL',b[o])x=math.max(x,s)A=A or s<0 z=z~='hforeign'and'h'..r(B,s)or z else if B then a('DEL',b[o])w='granted'end if j>1 then local s=math.max(f,a('PTTL',b[o+1]))n(o+1,(C or'0')..' -'..v,'PX',s)end end end if z~=''and w=='absent'then w='locked'else z=''end return{c..d,w,A and-1 or x,z,y,h}`,
}
