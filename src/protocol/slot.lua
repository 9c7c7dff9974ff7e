-- The script of slots. It acquires one of several locks: a slot is a lock of lock.lua, which extends and
-- releases it.
--
-- KEYS
--   slot keys     each followed by its fence key, unless fenceTtl is 0
--   tombstone     exists if this owner has released
--   run           present only with a quarantine
--   identity      present only with an identity
--
-- ARGV
--   operation     a: acquire
--   owner, ttl, fenceTtl, minCounter  as in lock.lua
--   wanted        `any N`: the slot that this owner holds, or else the first free one from number N on, in a
--                 circle. `only N`: this slot; any other one that this owner holds comes free
--   identity      and all that follows, as in lock.lua
--
-- Reply: that of lock.lua, but
--   left          if granted, the number of the slot; if locked, ms until the first slot can come free, or -1.
--                 It is 0 if another slot than the wanted one is free
--   holder        'h' and, if locked, the first eight bytes of the owner of that slot, otherwise `-`; a space;
--                 and for each slot the first eight bytes of the owner that it had, or `-` for a free one, with
--                 spaces in between
--   counter       the fence counter of the slot, or 0

local call = redis.call
local operation, owner, ttl, fenceTtl, minCounter, wanted, identity, quarantine, noRunId = unpack(ARGV)
-- Arguments are strings: these three become numbers.
ttl, fenceTtl, minCounter = ttl + 0, fenceTtl + 0, minCounter + 0
local value = owner:match('^[^ ]*')
local stride = fenceTtl > 0 and 2 or 1

-- Include steps 1 to 3 of lock.lua: the clock, the identity, the quarantine.

-- Step 4: has this owner released before? A request that arrives later may have taken another slot.
if call('EXISTS', table.remove(KEYS)) > 0 then
  for index = 1, #KEYS, stride do
    if call('GET', KEYS[index]) == owner then
      call('DEL', KEYS[index])
    end
  end
  return { operation .. owner, 'absent', -1, '', 0, identity }
end

-- Step 5: look at every slot, in the order in which they are wanted.
local mode, first = wanted:match('(%a+) (%d+)')
local count = #KEYS / stride
local own, free, left, holder = nil, nil, -1, '-'
local holders = {}
for offset = 0, count - 1 do
  local slot = (first - 1 + offset) % count + 1
  local key = KEYS[(slot - 1) * stride + 1]
  local current = call('GET', key)
  local isWanted = mode == 'any' or offset == 0
  if current == owner and not isWanted then
    call('DEL', key)
    current = false
  end
  holders[slot] = current and current:sub(1, 8) or '-'
  local life = call('PTTL', key)
  if current and current ~= owner and isWanted and life >= 0 and (left < 0 or life < left) then
    left, holder = life, holders[slot]
  end
  if current == owner then
    own = own or slot
  elseif not current and isWanted then
    free = free or slot
  end
end

-- Step 6: write the slot.
local slot = own or free
local names = ' ' .. table.concat(holders, ' ')
if not slot then
  if (names .. ' '):find(' - ', 1, true) then
    left = 0
  end
  return { operation .. owner, 'locked', left, 'h' .. holder .. names, 0, identity }
end
local key, counter = KEYS[(slot - 1) * stride + 1], 0
local life = math.max(ttl, call('PTTL', key))
call('SET', key, owner, 'PX', life)
if stride == 2 then
  local fenceKey = KEYS[slot * stride]
  counter = ((call('GET', fenceKey) or ''):match('(%d+) ') or 0) + 0
  -- The fencing token rests on this: a counter rises whenever a missing key comes to be held.
  counter = math.max(own and counter or counter + 1, minCounter)
  call('SET', fenceKey, ('%.0f %s'):format(counter, value), 'PX', life + fenceTtl)
end
return { operation .. owner, 'granted', slot, 'h-' .. names, counter, identity }
