// Generated from force-release.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'
import { steps } from './steps.ts'

export const forceReleaseScript: Script = {
  sha: 'ce0961c8f60897e9f0ac8473eed63659bd35af68',
  source: `local a,b=redis.call,KEYS local c,d,e,f,g,y,h,i,j=unpack(ARGV)e,f,g=e+0,f+0,g+0 local k=d:match('[^ ]*')local l=f>0 and 2 or 1 ${steps} local z,A,B,C='absent',-1,0,''for r=1,p-1,l do local D=o[r]local E=(l>1 and o[r+1]or''):match('(%d+) ')B=math.max(B,(E or 0)+0)if D and D:sub(1,8)~=y then A=math.max(A,a('PTTL',b[r]))C='h'..D:gsub('^(........)[^ ]*','%1')else if D then a('DEL',b[r])z='granted'end if l>1 then local F=math.max(f,a('PTTL',b[r+1]))q(r+1,(E or'0')..' -'..y,'PX',F)end end end if C~=''and z=='absent'then z='locked'else C=''end return{c..d,z,A,C,B,h}`,
}
