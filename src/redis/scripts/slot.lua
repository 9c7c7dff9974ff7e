-- The script of slots. It acquires one of several locks. A slot is a lock, and lock.lua extends and releases it.
--
-- KEYS
--   slot keys     each followed by its fence key, unless fenceTtl is 0
--   tombstone     exists if this owner has released
--   identity      present only with an identity
--
-- ARGV
--   operation     a: acquire
--   owner, `ttl`, fenceTtl, minCounter  as in lock.lua
--   wanted        `any N`: the slot that this owner holds, or else the first free one from number N on, wrapping
--                 around. `only N`: this slot; any other one that this owner holds becomes free
--   identity      optional, as in lock.lua
--
-- Reply: that of lock.lua, but
--   left          if granted, the number of the slot; if locked, ms until the first slot can become free, or -1.
--                 It is 0 if a different slot than the wanted one is free
--   holder        'h' and, if locked, the first eight bytes of the owner of that slot, otherwise `-`; a space;
--                 and for each slot the first eight bytes of the owner that it had, or `-` for a free one, with
--                 spaces in between
--   counter       the fence counter of the slot, or 0

local call, keys = redis.call, KEYS
local operation, owner, ttl, fenceTtl, minCounter, wanted, identity = unpack(ARGV)
-- Arguments are strings: these three become numbers.
ttl, fenceTtl, minCounter = ttl + 0, fenceTtl + 0, minCounter + 0
local value = owner:match('[^ ]*')
local stride = fenceTtl > 0 and 2 or 1

-- Include steps 1 and 2 of lock.lua: the clock, the keys and the identity.

-- Step 3: has this owner released before? A request that arrives later may have taken another slot.
if values[last] then
  for index = 1, last - 1, stride do
    if values[index] == owner then
      call('DEL', keys[index])
    end
  end
  return { operation .. owner, 'absent', -1, '', 0, identity }
end

-- Step 4: look at every slot. The index of its key identifies a slot. This runs up to a hundred times per call.
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

-- Step 5: write the slot. Only a rejection needs the time when the slots become free.
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
  -- The fencing token relies on this: a counter rises whenever a missing key is acquired.
  counter = math.max(own and counter or counter + 1, minCounter)
  put(index + 1, ('%.0f %s'):format(counter, value), 'PX', ttl + fenceTtl)
end
return { operation .. owner, 'granted', (index - 1) / stride + 1, 'h-' .. names, counter, identity }
