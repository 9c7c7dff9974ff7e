-- The protocol on one node. Every operation of locks and throttles is one run of this script, so they all share one
-- cached SHA-1. Redis runs the script atomically.
--
-- KEYS (keys.ts describes their values)
--   lock keys     each followed by its fence key, unless fenceTtl is 0
--   tombstone     exists if this owner has released
--   identity      present only with an identity
--
-- ARGV
--   operation     a: acquire, e: extend, i: inspect, r: release
--   owner         the value of the lock, followed by a space and metadata if there is any
--   ttl           the TTL of the lock keys in ms; on release, the TTL of the tombstone
--   fenceTtl      ms for which the fences outlive their locks; 0 for throttles, which have none
--   minCounter    the minimum of the fence counters after a write. On acquire, it is the time of the client in ms,
--                 which counters follow; on extend, the highest counter that the client has seen; otherwise 0
--   identity      optional: a random ID that the server adopts unless it already has one
--
-- Reply: { echo, status, left, holder, counter, identity }
--   echo          operation and owner as they were sent. With it, the client never counts the reply to another request
--                 (a mixed-up pipeline, a cache). The leading letter also keeps clients that parse replies as JSON
--                 from converting the text to a number.
--   status        granted      every lock key is (on release: was) held by this owner
--                 locked       another owner holds a lock key
--                 absent       a lock key is missing, or this owner has released before
--   left          ms that the lock keys had left when the script began: the maximum over the keys that it did not
--                 delete, or -1; -1 if a key of others never expires; if absent after a forced release, -2
--   holder        if locked: 'h', the first eight bytes of the other owner's value, and its metadata; or `hforeign` if
--                 a key holds no lock, or never expires. Else ''
--   counter       the highest fence counter of the keys
--   identity      the ID of the server, present only if ARGV has one
--
-- Operations
--   acquire       Holds all keys, or none, for at least ttl ms. Idempotent for its own owner.
--   extend        The same if this owner holds all keys. It restores a missing key if the fence shows that no other
--                 owner has acquired it since, and replies granted. If the fence is missing too, the node has lost the
--                 holder of the key: extend restores the key, if there is a clock, but replies absent, since another
--                 owner may have held it.
--   inspect       Writes nothing.
--   release       Deletes the keys that this owner holds, and leaves a tombstone. HTTP does not preserve order: an
--                 acquire or extend of this owner may arrive later, and must have no effect.
--
-- A write never shortens a TTL, so a request that is late or executed twice takes nothing away.

local call, keys = redis.call, KEYS
local operation, owner, ttl, fenceTtl, minCounter, identity = unpack(ARGV)
-- Arguments are strings: these three become numbers.
ttl, fenceTtl, minCounter = ttl + 0, fenceTtl + 0, minCounter + 0
local value = owner:match('[^ ]*')
local stride = fenceTtl > 0 and 2 or 1

-- Step 1: the clock. If TIME is forbidden, minCounter replaces it: on acquire, it is the time of the client.
local time = redis.pcall('TIME')
local now = time[1] and time[1] * 1000 + math.floor(time[2] / 1000) or minCounter
-- A counter whose fence has expired starts from the clock again. So a fence must outlive the difference between clocks.
-- Without TIME, counters follow the clocks of clients, which may differ by hours: then the fence lives for a day.
if not time[1] then
  fenceTtl = math.max(fenceTtl, 86400000)
end
-- An acquire raises the counters to the time of the client, so they exceed their old values even on a node that lost
-- them. A client with a wrong clock must not use up the numbers, so its time is limited to within 5 s of the server's.
if operation == 'a' then
  minCounter = math.max(now - 5000, math.min(now + 5000, minCounter))
end

-- Step 2: read all keys with one command, since some hosts bill every command of a script.
local values = call('MGET', unpack(keys))
-- MGET shows a key of another type as missing, and NX then refuses to replace it.
local function put(index, text, ...)
  return call('SET', keys[index], text, values[index] and 'XX' or 'NX', ...) or error('WRONGTYPE ' .. keys[index])
end
-- Which server is this? Two URLs of one database must not count as two nodes.
local last = #keys
if identity then
  identity = values[last] or put(last, identity) and identity
  last = last - 1
end

-- The public part of the owner of a key that has `life` ms left: the first eight bytes of the value, and the metadata.
-- The rest of the value is a secret. Data that never expires, or is not in the form of a lock or a record, is foreign,
-- and stays hidden.
local function ownerOf(text, life)
  local id = '^' .. ('%w'):rep(8)
  local isOurs = (text .. ' '):find(id .. '%-%w+%-%w+%-%w+%-%w+ ') or text:find(id .. ' d %d+ ')
  return isOurs and life >= 0 and text:gsub('^(........)[^ ]*', '%1') or 'foreign'
end

-- Step 3: has this owner released before?
local status, canWrite = 'granted', operation == 'a' or operation == 'e'
if values[last] then
  status, canWrite = 'absent', false
end

-- Step 4: look at every key. A release deletes as it goes.
local left, counter, rise, holder, forced, endless = -1, 0, 0
for index = 1, last - 1, stride do
  local currentOwner = values[index]
  local fence = stride > 1 and values[index + 1] or ''
  local lastCounter, lastValue = fence:match('(%d+) (.*)')
  counter = math.max(counter, (lastCounter or 0) + 0)
  if not currentOwner then
    -- The fencing token relies on this: a counter rises whenever a missing key is acquired.
    rise = 1
    if not canWrite or operation == 'e' and lastValue ~= value then
      -- A fence shows that another owner had the key. Without one, the node has lost the last owner, and the lost
      -- counter may have been anything up to the clock.
      status, canWrite = 'absent', canWrite and not lastValue and time[1]
      if lastValue == '-' .. value:sub(1, 8) then
        forced = -2
      end
      if canWrite then
        minCounter = math.max(minCounter, now)
      end
    end
  elseif operation == 'r' and currentOwner == owner then
    call('DEL', keys[index])
    -- The fence would have outlived the full TTL of the lock. Now it needs to outlive only the release.
    if lastCounter then
      put(index + 1, fence, 'PX', fenceTtl)
    end
  else
    local life = call('PTTL', keys[index])
    left = math.max(left, life)
    -- Locks expire, but foreign data may not, so it takes precedence.
    if currentOwner ~= owner then
      canWrite, endless = false, endless or life < 0
      holder = holder ~= 'hforeign' and 'h' .. ownerOf(currentOwner, life) or holder
    end
  end
end
if operation == 'r' then
  put(last, '', 'PX', ttl)
end

-- Step 5: write all keys, or none. Only a key of another type stops it halfway; the client then releases the others.
-- Fences omit the metadata, since they remain after the lock.
if canWrite then
  counter = math.max(counter + rise, minCounter)
  ttl = math.max(ttl, left)
  for index = 1, last - 1, stride do
    put(index, owner, 'PX', ttl)
    if stride > 1 then
      put(index + 1, ('%.0f %s'):format(counter, value), 'PX', ttl + fenceTtl)
    end
  end
end
return { operation .. owner, holder and 'locked' or status, not holder and forced or endless and -1 or left, holder or '', counter, identity }
