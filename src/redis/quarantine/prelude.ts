// Generated from quarantine.lua by `npm run generate`. Change it there.
export const prelude = `local a=table.remove(ARGV)local b=table.remove(ARGV)local c=table.remove(KEYS)local d,e=KEYS[#KEYS],ARGV[#ARGV]local f,g=unpack(redis.call('MGET',d,c))local function h(i,j,k)return redis.call('SET',i,k,j and'XX'or'NX')or error('WRONGTYPE '..i)end e=f or h(d,f,e)and e local function l(...)local k=redis.pcall('INFO',...)return type(k)=='string'and k or''end local m=redis.REDIS_VERSION_NUM and l('server','replication')or''if not m:find('run_id:',1,true)then m=l('server')..l('replication')end local function n(o)local p=m:find(o,1,true)return p and m:match(o..'%w+',p)end local q=redis.pcall('TIME')local r=n('run_id:')or a~=''and'-'local s=not q[1]and'TIME'or not r and'run_id'local t=-1 if not s then local u=q[1]*1000+math.floor(q[2]/1000)local v,w,x=(g or''):match('(%S+) (%d+)( ?%S*)')local y=n('master_replid:')y=y and' '..y or x or''local z=y==x or x==''or m:match('master_replid2:0+%c')local A=v==r and z w=A and w or u+b t=w-u if not A or t<=0 and y~=x then h(c,g,('%s %.0f%s'):format(r,w,y))end end if ARGV[1]~='r'and(s or t>0)then return{ARGV[1]..ARGV[2],s and'unfit'or'quarantined',t,s or'',0,e}end`

/** Maps the SHA-1 of each script to the SHA-1 of the prelude, a space and the script. */
export const shasWithPrelude: ReadonlyMap<string, string> = new Map([
  ['41807a72dee73ffc606d1fd03b0f6978714e9406', 'f050a4d1e427cb48161cb3e5e10001068abf6bb2'],
  ['b136065c2fe11161ad509e353de79324811e1380', '5d186c7eac128519c471c5646ee30a98cead1ff0'],
  ['c38d1ef02900e8a91b33383ba4a938b5256563db', '687ae50a67092a0ce3365841ad6b254e52591470'],
  ['d572f417a9cab36b48bcf32055381337e0e4e0e5', 'c7df2abb540c605d1bc31e7e60279a3059355aa4'],
  ['c7c073db6ef807a944a4b1d1abfd14d5c7f368f4', '31b85514d57ea7a120562e8d1586b3de5758acaa'],
])
