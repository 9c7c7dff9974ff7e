// Generated from quarantine.lua by `npm run generate`. Change it there.
export const prelude = `local a=table.remove(ARGV)local b=table.remove(ARGV)local c=table.remove(KEYS)local d,e=KEYS[#KEYS],ARGV[#ARGV]local f,g=unpack(redis.call('MGET',d,c))local function h(i,j,k)return redis.call('SET',i,k,j and'XX'or'NX')or error('WRONGTYPE '..i)end e=f or h(d,f,e)and e local l=redis.pcall('TIME')local m=redis.pcall('INFO','server')local n=type(m)=='string'and m:match('run_id:%w+')or a~=''and'-'local o=not l[1]and'TIME'or not n and'run_id'local p=-1 if not o then local q=l[1]*1000+math.floor(l[2]/1000)local r,s=(g or''):match('(%S+) (%d+)')if r~=n then s=q+b h(c,g,('%s %.0f'):format(n,s))end p=s-q end if ARGV[1]~='r'and(o or p>0)then return{ARGV[1]..ARGV[2],o and'unfit'or'quarantined',p,o or'',0,e}end`

/** The SHA-1 of each script with the prelude and a space before it, by that of the script. */
export const shasWithPrelude: ReadonlyMap<string, string> = new Map([
  ['41807a72dee73ffc606d1fd03b0f6978714e9406', '4fff4f184665d459d4e8004afc3cb49d8ae8a19f'],
  ['b136065c2fe11161ad509e353de79324811e1380', '236b8d8363ad357bab49676005b4c744aef3a1d6'],
  ['c38d1ef02900e8a91b33383ba4a938b5256563db', '070899416f5a2c68843f7a474f517338953f6f8f'],
  ['d572f417a9cab36b48bcf32055381337e0e4e0e5', 'abd0373124662517515b425ab38a60283b238110'],
  ['c7c073db6ef807a944a4b1d1abfd14d5c7f368f4', 'a14534f568c266e3a44e7d4c78eeb694a9f6a639'],
])
