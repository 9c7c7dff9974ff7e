// Generated from waking-release.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'
import { steps } from './steps.ts'

export const wakingReleaseScript: Script = {
  sha: 'db286d1b3291a696535f73cecbd5229c00c6ea9a',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,h,i,j=unpack(ARGV)e,f,g=e+0,f+0,g+0 local y=table.remove(b,1)${steps} local z,A,B=unpack(o)local C=((A or''):match('(%d+) ')or 0)+0 local D,E,F=-1,'absent',''if z==d then E=B and'absent'or'granted'a('DEL',b[1])if A then q(2,A,'PX',f)end elseif z then D=math.max(D,a('PTTL',b[1]))E,F='locked','h'..z:gsub('^(........)[^ ]*','%1')end q(p,'','PX',e)if E=='granted'then for G=1,32 do local H=a('ZPOPMIN',y)[1]if not H or a('PUBLISH',y..':'..H,'wake')>0 then break end end end return{c..d,E,D,F,C,h}`,
}
