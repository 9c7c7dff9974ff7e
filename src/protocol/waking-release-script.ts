// Generated from waking-release.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'
import { steps } from './steps.ts'

export const wakingReleaseScript: Script = {
  sha: '288ff92619c478feaf76c2e0e539b96f1b172d2c',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,h=unpack(ARGV)e,f,g=e+0,f+0,g+0 local r=table.remove(b,1)${steps} local s,t,u=unpack(m)local v=((t or''):match('(%d+) ')or 0)+0 local w,x,y=-1,'absent',''if s==d then x=u and'absent'or'granted'a('DEL',b[1])if t then n(2,t,'PX',f)end elseif s then w=math.max(w,a('PTTL',b[1]))x,y='locked','h'..s:gsub('^(........)[^ ]*','%1')end n(q,'','PX',e)if x=='granted'then for z=1,32 do local A=a('ZPOPMIN',r)[1]if not A or a('PUBLISH',r..':'..A,'wake')>0 then break end end end return{c..d,x,w,y,v,h}`,
}
