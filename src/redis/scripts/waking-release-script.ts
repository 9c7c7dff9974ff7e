// Generated from waking-release.lua by `npm run generate`. Change it there.
import type { Script } from '../../protocol/script.ts'
import { steps } from './steps.ts'

export const wakingReleaseScript: Script = {
  sha: 'c7c073db6ef807a944a4b1d1abfd14d5c7f368f4',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,h=unpack(ARGV)e,f,g=e+0,f+0,g+0 local v=table.remove(b,1)${steps} local w,x,y=unpack(m)local z=((x or''):match('(%d+) ')or 0)+0 local A,B,C=-1,'absent',''if w==d then B=y and'absent'or'granted'a('DEL',b[1])if x then n(2,x,'PX',f)end elseif w then A=math.max(A,a('PTTL',b[1]))B,C='locked','h'..r(w,A)end n(q,'','PX',e)if B=='granted'then for D=1,32 do local t=a('ZPOPMIN',v)[1]if not t or a('PUBLISH',v..':'..t,'wake')>0 then break end end end return{c..d,B,A,C,z,h}`,
}
