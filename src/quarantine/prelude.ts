// Generated from quarantine.lua by `npm run generate`. Change it there.
export const prelude = `local a=table.remove(ARGV)local b=table.remove(ARGV)local c=table.remove(KEYS)local d,e=KEYS[#KEYS],ARGV[#ARGV]local f,g=unpack(redis.call('MGET',d,c))local function h(i,j,k)return redis.call('SET',i,k,j and'XX'or'NX')or error('WRONGTYPE '..i)end e=f or h(d,f,e)and e local l=redis.pcall('TIME')local m=redis.pcall('INFO','server')local n=type(m)=='string'and m:match('run_id:%w+')or a~=''and'-'local o=not l[1]and'TIME'or not n and'run_id'local p=-1 if not o then local q=l[1]*1000+math.floor(l[2]/1000)local r,s=(g or''):match('(%S+) (%d+)')if r~=n then s=q+b h(c,g,('%s %.0f'):format(n,s))end p=s-q end if ARGV[1]~='r'and(o or p>0)then return{ARGV[1]..ARGV[2],o and'unfit'or'quarantined',p,o or'',0,e}end`

/** The SHA-1 of each script with the prelude and a space before it, by that of the script. */
export const shasWithPrelude: ReadonlyMap<string, string> = new Map([
  ['99b400d75c6f762a81335402880c2ebb443be994', '0ff7abb5e353a026046c2c581253491720f8b3e2'],
  ['d7060b0b2f6383f6c64649dc35840d819f5e6875', 'f8fe3be2811cc41190ef3917fb27bc5dab5820ff'],
  ['c38d1ef02900e8a91b33383ba4a938b5256563db', '070899416f5a2c68843f7a474f517338953f6f8f'],
  ['d572f417a9cab36b48bcf32055381337e0e4e0e5', 'abd0373124662517515b425ab38a60283b238110'],
  ['c7c073db6ef807a944a4b1d1abfd14d5c7f368f4', 'a14534f568c266e3a44e7d4c78eeb694a9f6a639'],
])
