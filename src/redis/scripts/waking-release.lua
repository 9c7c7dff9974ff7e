-- Releases a lock as lock.lua does, and wakes a waiter. Without waiters, this takes one command more than lock.lua.
--
-- KEYS
--   queue         the waiters for the key, as in wait.lua
--   lock key, fence key, tombstone, identity  as in lock.lua, for one lock key
--
-- ARGV          as in lock.lua, with the operation r
--
-- Reply: as in lock.lua

local call, keys = redis.call, KEYS
local operation, owner, ttl, fenceTtl, minCounter, identity = unpack(ARGV)
-- Arguments are strings. Convert these three to numbers.
ttl, fenceTtl, minCounter = ttl + 0, fenceTtl + 0, minCounter + 0
local queue = table.remove(keys, 1)

-- Include steps 1 and 2 of lock.lua: the clock, the keys and the identity.

-- Step 3: release.
local current, fence, tombstone = unpack(values)
local counter = ((fence or ''):match('(%d+) ') or 0) + 0
local left, status, holder = -1, 'absent', ''
if current == owner then
  -- An owner that has already released holds nothing, as in lock.lua.
  status = tombstone and 'absent' or 'granted'
  call('DEL', keys[1])
  if fence then
    put(2, fence, 'PX', fenceTtl)
  end
elseif current then
  left = math.max(left, call('PTTL', keys[1]))
  status, holder = 'locked', 'h' .. ownerOf(current, left)
end
put(last, '', 'PX', ttl)

-- Step 4: wake the first waiter whose stream is open. Waiters without an open stream are removed along the way.
if status == 'granted' then
  for _ = 1, 32 do
    local id = call('ZPOPMIN', queue)[1]
    if not id or call('PUBLISH', queue .. ':' .. id, 'wake') > 0 then
      break
    end
  end
end
return { operation .. owner, status, left, holder, counter, identity }
