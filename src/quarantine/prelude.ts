// Generated from quarantine.lua by `npm run generate`. Change it there.
export const prelude = `local a=table.remove(ARGV)local b=table.remove(ARGV)local c=table.remove(KEYS)local d,e=KEYS[#KEYS],ARGV[#ARGV]local f,g=unpack(redis.call('MGET',d,c))local function h(i,j,k)return redis.call('SET',i,k,j and'XX'or'NX')or error('WRONGTYPE '..i)end e=f or h(d,f,e)and e local l=redis.pcall('TIME')local m=redis.pcall('INFO','server')local n=type(m)=='string'and m:match('run_id:%w+')or a~=''and'-'local o=not l[1]and'TIME'or not n and'run_id'local p=-1 if not o then local q=l[1]*1000+math.floor(l[2]/1000)local r,s=(g or''):match('(%S+) (%d+)')if r~=n then s=q+b h(c,g,('%s %.0f'):format(n,s))end p=s-q end if ARGV[1]~='r'and(o or p>0)then return{ARGV[1]..ARGV[2],o and'unfit'or'quarantined',p,o or'',0,e}end`

/** The SHA-1 of each script with the prelude and a space before it, by that of the script. */
export const shasWithPrelude: ReadonlyMap<string, string> = new Map([
  ['ade4d49e15e112e279743208b7ee62ec157d8ecc', 'afec49f2909b9943869dcab1e46e03f36e49c3d0'],
  ['031476023df90b3422b410339f68ffef4bb10312', '8186835d3e2af2aff264cbbbf89f95ec2e385b68'],
  ['cea45d0ad191eb442b187b949ab96d4810e6319a', 'df9fac1735fb042fe441928df19787e3911b5455'],
  ['4a986ed12fe937708127bb63fa4d16996e590d81', '70fbb27b381b5c7e76471da4339feadfa4bea301'],
  ['288ff92619c478feaf76c2e0e539b96f1b172d2c', '0003702078d0f13a89137606d26901b1ec75757d'],
])
