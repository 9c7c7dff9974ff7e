-- The protocol on one node. Every operation on a lock or throttle is one run of this script, so all of them share one
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
--   fenceTtl      how long fences outlive their locks, in ms; 0 for throttles, which have no fences
--   minCounter    the minimum of the fence counters after a write: on acquire, the time of the client in ms, or the
--                 highest counter granted so far; on extend, the highest counter that the client has seen; else 0
--   identity      optional: a random ID for a server that does not have one yet
--
-- Reply: { echo, status, left, holder, counter, identity }
--   echo          operation and owner as they were sent. The client uses this to discard the reply to another request
--                 (from a mixed-up pipeline or a cache). The leading letter also keeps clients that parse replies as
--                 JSON from converting the text to a number.
--   status        granted      every lock key is (on release: was) held by this owner
--                 locked       another owner holds a lock key
--                 absent       a lock key is missing, or this owner has released before
--   left          the remaining TTL of the lock keys when the script began, in ms: the maximum over the keys that the
--                 script did not delete, or -1 if there are none. -1 if another owner's key never expires; -2 if absent
--                 after a forced release
--   holder        if locked: 'h', the first eight bytes of the other owner's value, and its metadata; or `hforeign` if
--                 a key holds no lock, or never expires. Else ''
--   counter       the highest fence counter of the keys
--   identity      the ID of the server, present only if ARGV has one
--
-- Operations
--   acquire       Acquires all keys, or none, for at least ttl ms. Idempotent for the same owner.
--   extend        The same, but only if this owner holds all keys. A missing key is restored if its fence shows that no
--                 other owner has acquired it since; the reply is granted. If the fence is missing as well, the node
--                 has forgotten who held the key. Then extend restores the key if TIME is allowed, but replies absent,
--                 because another owner may have held the key.
--   inspect       Writes nothing.
--   release       Deletes the keys that this owner holds, and leaves a tombstone. HTTP does not preserve order, so an
--                 acquire or extend by this owner can arrive later. The tombstone makes it ineffective.
--
-- A write never shortens a TTL, so a request that is late or runs twice does no harm.

local call, keys = redis.call, KEYS
local operation, owner, ttl, fenceTtl, minCounter, identity = unpack(ARGV)
-- Arguments are strings. Convert these three to numbers.
ttl, fenceTtl, minCounter = ttl + 0, fenceTtl + 0, minCounter + 0
local value = owner:match('[^ ]*')
local stride = fenceTtl > 0 and 2 or 1

-- Step 1: read the clock. If TIME is forbidden, minCounter replaces the time: on acquire, it is about the time of the
-- client.
local time = redis.pcall('TIME')
local now = time[1] and time[1] * 1000 + math.floor(time[2] / 1000) or minCounter
-- Once a fence has expired, its counter restarts from the clock. So a fence must live longer than the clocks differ.
-- Without TIME, counters follow the clocks of clients, which can differ by hours. Then a fence lives for a day.
if not time[1] then
  fenceTtl = math.max(fenceTtl, 86400000)
end
-- An acquire raises the counters to the time of the client, so that they exceed their old values even on a node that
-- lost them. That time is limited to within 5 s of the server's time, so that a client with a wrong clock cannot use up
-- the numbers.
if operation == 'a' then
  minCounter = math.max(now - 5000, math.min(now + 5000, minCounter))
end

-- Step 2: read all keys with one command, because some hosts bill every command in a script.
local values = call('MGET', unpack(keys))
-- MGET returns nil for a key of another type, as if it were missing. With NX, SET does not replace that key.
local function put(index, text, ...)
  return call('SET', keys[index], text, values[index] and 'XX' or 'NX', ...) or error('WRONGTYPE ' .. keys[index])
end
-- Identify the server, because two URLs for one database must not count as two nodes.
local last = #keys
if identity then
  identity = values[last] or put(last, identity) and identity
  last = last - 1
end

-- The public part of the owner of a key that expires in `life` ms: the first eight bytes of the value, and the
-- metadata. The rest of the value is a secret. Data that never expires, or does not have the form of a lock or a
-- record, is foreign and stays hidden.
local function ownerOf(text, life)
  local id = '^' .. ('%w'):rep(8)
  local isOurs = (text .. ' '):find(id .. '%-%w+%-%w+%-%w+%-%w+ ') or text:find(id .. ' d %d+ ')
  return isOurs and life >= 0 and text:gsub('^(........)[^ ]*', '%1') or 'foreign'
end

-- Step 3: check whether this owner has already released.
local status, canWrite = 'granted', operation == 'a' or operation == 'e'
if values[last] then
  status, canWrite = 'absent', false
end

-- Step 4: examine every key. A release deletes the owner's keys in the same pass.
local left, counter, rise, holder, forced, endless = -1, 0, 0
for index = 1, last - 1, stride do
  local currentOwner = values[index]
  local fence = stride > 1 and values[index + 1] or ''
  local lastCounter, lastValue = fence:match('(%d+) (.*)')
  counter = math.max(counter, (lastCounter or 0) + 0)
  if not currentOwner then
    -- A counter must rise whenever a missing key is acquired, because fencing tokens rely on this.
    rise = 1
    if not canWrite or operation == 'e' and lastValue ~= value then
      -- If there is a fence, another owner has held the key. If not, the node has lost the key's last owner, and the
      -- lost counter can have had any value up to the current time.
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
    -- The fence would have expired fenceTtl after the TTL of the lock. Since the lock ends now, the fence expires
    -- fenceTtl from now.
    if lastCounter then
      put(index + 1, fence, 'PX', fenceTtl)
    end
  else
    local life = call('PTTL', keys[index])
    left = math.max(left, life)
    -- Foreign data takes precedence, because unlike a lock it may never expire.
    if currentOwner ~= owner then
      canWrite, endless = false, endless or life < 0
      holder = holder ~= 'hforeign' and 'h' .. ownerOf(currentOwner, life) or holder
    end
  end
end
if operation == 'r' then
  put(last, '', 'PX', ttl)
end

-- Step 5: write all keys, or none. Only a key of another type can stop this halfway; the client then releases the other
-- keys. Fences omit the metadata, because they outlive the lock.
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
