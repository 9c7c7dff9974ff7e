// Generated from lock.lua by `npm run generate`. Change it there.
import type { Script } from './script.ts'

export const lockScript: Script = {
  sha: '6f5960244800c45d19d96a28d550d49f8dcd51fc',
  source: `local a=redis.call local b,c,d,e,f,g,h,i=unpack(ARGV)d,e,f=d+0,e+0,f+0 local j=redis.pcall('TIME')local k=j[1]and j[1]*1000+math.floor(j[2]/1000)or f local l=5000 if b=='a'then f=math.max(k-l,math.min(k+l,f))end if g then local m=table.remove(KEYS)a('SETNX',m,g)g=a('GET',m)end if h then local m=table.remove(KEYS)local n=redis.pcall('INFO','server')local o=type(n)=='string'and n:match('run_id:%w+')or i and'-'local p=not j[1]and'TIME'or not o and'run_id'if not p then local q,r=(a('GET',m)or''):match('(%S+) (%d+)')if q~=o then r=k+h a('SET',m,o..' '..r)end if r-k>0 and b~='r'then return{b..c,'quarantined',r-k,'',0,g}end elseif b~='r'then return{b..c,'unfit',-1,p,0,g}end end local s=table.remove(KEYS)local t,u='granted',b=='a'or b=='e'if a('EXISTS',s)>0 then t,u='absent',false end local v,w,x,y=-1,0,0 for z=1,#KEYS,e do local m=KEYS[z]local A=a('GET',m)local B=e==2 and a('GET',KEYS[z+1])or''local C,D=B:match('(%d+) (.*)')v=math.max(v,a('PTTL',m))w=math.max(w,(C or 0)+0)if not A then x=1 if not u or b=='e'and D~=c then t,u='absent',u and not D if u then f=math.max(f,k)end end elseif A~=c then u,y=false,'h'..A:gsub('^(........)[^ ]*','%1')elseif b=='r'then a('DEL',m)end end if b=='r'then a('SET',s,'','PX',d)end if u then w=math.max(w+x,f)for z=1,#KEYS,e do local m=KEYS[z]a('SET',m,c,'PX',math.max(d,a('PTTL',m)))if e==2 then a('SET',KEYS[z+1],('%.0f %s'):format(w,c),'PX',d+86400000)end end end return{b..c,y and'locked'or t,v,y or'',w,g}`,
}

export const keyLockingLockScript: Script = {
  sha: 'b02f9a69a3e1481c997b508e42c947e35f258225',
  source: `#!lua flags=allow-key-locking\n${lockScript.source}`,
}
