-- The script of a forced release, which removes the holder of the keys. Any client can run it.
--
-- KEYS
--   lock keys     each followed by its fence key, unless fenceTtl is 0
--   tombstone     the tombstone of the requesting client; not used here
--   identity      present only with an identity
--
-- ARGV
--   operation     r: release
--   owner, `ttl`, fenceTtl, minCounter  as in lock.lua
--   wanted        the first eight bytes of the value of the holder to remove, so that a delayed request cannot remove a
--                 later holder
--   identity      optional, as in lock.lua
--
-- Reply: as in lock.lua, but
--   status        granted if a holder was removed; locked if only other owners hold keys; else absent

local call, keys = redis.call, KEYS
local operation, owner, ttl, fenceTtl, minCounter, wanted, identity = unpack(ARGV)
-- Arguments are strings. Convert these three to numbers.
ttl, fenceTtl, minCounter = ttl + 0, fenceTtl + 0, minCounter + 0
local value = owner:match('[^ ]*')
local stride = fenceTtl > 0 and 2 or 1

-- Include steps 1 and 2 of lock.lua: the clock, the keys and the identity.

-- Step 3: remove the holder. An extension by that holder could restore the key, with or without a fence. So the fence
-- is set to an owner that no client has, which also shows the holder that its lock was released by force. The counter
-- stays the same.
local status, left, counter, holder, endless = 'absent', -1, 0, ''
for index = 1, last - 1, stride do
  local current = values[index]
  local lastCounter = (stride > 1 and values[index + 1] or ''):match('(%d+) ')
  counter = math.max(counter, (lastCounter or 0) + 0)
  if current and current:sub(1, 8) ~= wanted then
    local life = call('PTTL', keys[index])
    left = math.max(left, life)
    -- Foreign data takes precedence, as in lock.lua.
    endless = endless or life < 0
    holder = holder ~= 'hforeign' and 'h' .. ownerOf(current, life) or holder
  else
    if current then
      call('DEL', keys[index])
      status = 'granted'
    end
    if stride > 1 then
      local life = math.max(fenceTtl, call('PTTL', keys[index + 1]))
      put(index + 1, (lastCounter or '0') .. ' -' .. wanted, 'PX', life)
    end
  end
end
if holder ~= '' and status == 'absent' then
  status = 'locked'
else
  holder = ''
end
return { operation .. owner, status, endless and -1 or left, holder, counter, identity }
