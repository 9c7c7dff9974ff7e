-- The script that acquires one of several slots. A slot is a lock, which lock.lua extends and releases.
--
-- KEYS
--   slot keys     each followed by its fence key, unless fenceTtl is 0
--   tombstone     exists if this owner has released
--   identity      present only with an identity
--
-- ARGV
--   operation     a: acquire
--   owner, `ttl`, fenceTtl, minCounter  as in lock.lua
--   wanted        `any N`: the slot that this owner holds, or else the first free slot from number N on, wrapping
--                 around. `only N`: only slot N; any other slot that this owner holds becomes free
--   identity      optional, as in lock.lua
--
-- Reply: as in lock.lua, but
--   left          if granted, the number of the slot; if locked, ms until the first slot can become free, or -1;
--                 0 if a slot other than the requested one is free
--   holder        'h', followed by the first eight bytes of that slot's owner if locked, otherwise by `-`; then, for
--                 each slot, a space and the first eight bytes of its owner before the command, or `-` if it was free
--   counter       the fence counter of the slot, or 0

local call, keys = redis.call, KEYS
local operation, owner, ttl, fenceTtl, minCounter, wanted, identity = unpack(ARGV)
-- Arguments are strings. Convert these three to numbers.
ttl, fenceTtl, minCounter = ttl + 0, fenceTtl + 0, minCounter + 0
local value = owner:match('[^ ]*')
local stride = fenceTtl > 0 and 2 or 1

-- Include steps 1 and 2 of lock.lua: the clock, the keys and the identity.

-- Step 3: check whether this owner has already released. If so, free any slot that a delayed request acquired for this
-- owner.
if values[last] then
  for index = 1, last - 1, stride do
    if values[index] == owner then
      call('DEL', keys[index])
    end
  end
  return { operation .. owner, 'absent', -1, '', 0, identity }
end

-- Step 4: examine every slot. A slot is identified by the index of its key. The loop must be fast, because a call can
-- have 100 slots.
local mode, number = wanted:match('(%a+) (%d+)')
local first = (number - 1) * stride + 1
local own, free, freeBefore
local holders, count = {}, 0
for index = 1, last - 1, stride do
  local current = values[index]
  if current == owner then
    if mode == 'any' or index == first then
      own = own or index
    else
      call('DEL', keys[index])
      current = false
    end
  end
  count = count + 1
  if current then
    holders[count] = ownerOf(current, 0):match('[^ ]*')
  else
    holders[count] = '-'
    if index < first then
      freeBefore = freeBefore or index
    else
      free = free or index
    end
  end
end
if mode == 'any' then
  free = free or freeBefore
elseif free ~= first then
  free = nil
end

-- Step 5: write the slot. The remaining TTLs are read only for a rejection.
local names = ' ' .. table.concat(holders, ' ')
local index = own or free
if not index then
  local left, holder = -1, '-'
  for slot = 1, count do
    local at = (slot - 1) * stride + 1
    if mode == 'any' or at == first then
      local life = call('PTTL', keys[at])
      if life >= 0 and (left < 0 or life < left) then
        left, holder = life, holders[slot]
      end
    end
  end
  if (names .. ' '):find(' - ', 1, true) then
    left = 0
  end
  return { operation .. owner, 'locked', left, 'h' .. holder .. names, 0, identity }
end
local counter = 0
if own then
  ttl = math.max(ttl, call('PTTL', keys[own]))
end
put(index, owner, 'PX', ttl)
if stride > 1 then
  counter = ((values[index + 1] or ''):match('(%d+) ') or 0) + 0
  -- A counter must rise whenever a missing key is acquired, because fencing tokens rely on this.
  counter = math.max(own and counter or counter + 1, minCounter)
  put(index + 1, ('%.0f %s'):format(counter, value), 'PX', ttl + fenceTtl)
end
return { operation .. owner, 'granted', (index - 1) / stride + 1, 'h-' .. names, counter, identity }
