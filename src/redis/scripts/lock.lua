-- The protocol as one node runs it. Every operation of locks and throttles is one run of this
-- script, so that one cached SHA-1 serves them all. Redis runs it atomically.
--
-- KEYS (keys.ts says what each key holds)
--   lock keys     each followed by its fence key, unless fenceTtl is 0
--   tombstone     exists if this owner has released
--   identity      present only with an identity
--
-- ARGV
--   operation     a: acquire, e: extend, i: inspect, r: release
--   owner         the value of the lock, followed by a space and metadata if there is any
--   ttl           ms that the lock keys are to live; on release, ms that the tombstone is to live
--   fenceTtl      ms for which the fences outlive their locks; 0 for throttles, which have none
--   minCounter    the minimum that a write raises the fence counters to. On acquire it is the time
--                 of the client in ms, which counters follow; on extend the highest counter that
--                 the client has seen; otherwise 0
--   identity      optional: a random id that the server adopts unless it already has one
--
-- Reply: { echo, status, left, holder, counter, identity }
--   echo          operation and owner as they were sent. The client never counts the reply to
--                 another request (a mixed-up pipeline, a cache). The leading letter also keeps
--                 clients that parse replies as JSON from turning the text into a number.
--   status        granted      every lock key is (on release: was) held by this owner
--                 locked       another owner holds a lock key
--                 absent       a lock key is missing, or this owner has released before
--   left          ms that the lock keys had left when the script began, the maximum of those that it did
--                 not delete, or -1; -1 if a key of others never expires; if absent after a release by force, -2
--   holder        if locked: 'h', the first eight bytes of the other owner's value, and its
--                 metadata; or `hforeign` where a key holds no lock, or never expires. Else ''
--   counter       the highest fence counter of the keys
--   identity      the id of the server, present only if ARGV has one
--
-- Operations
--   acquire       Holds all keys, or none, for at least ttl ms. Idempotent for its own owner.
--   extend        The same where this owner holds all keys. It restores a missing key if the fence
--                 shows that nobody else has acquired it since, and replies granted. Where the
--                 fence is missing too, the node has forgotten who held the key: extend restores it,
--                 given a clock, but replies absent, since somebody else may have held it.
--   inspect       Writes nothing.
--   release       Deletes the keys that this owner holds and leaves a tombstone. HTTP does not keep
--                 order: an acquire or extend of this owner may arrive later, and must do nothing.
--
-- A write never shortens a ttl, so a request that is late or executed twice takes nothing away.

local call, keys = redis.call, KEYS
local operation, owner, ttl, fenceTtl, minCounter, identity = unpack(ARGV)
-- Arguments are strings: these three become numbers.
ttl, fenceTtl, minCounter = ttl + 0, fenceTtl + 0, minCounter + 0
local value = owner:match('[^ ]*')
local stride = fenceTtl > 0 and 2 or 1

-- Step 1: the clock. Where TIME is forbidden minCounter takes its place: on acquire it is the time
-- of the client.
local time = redis.pcall('TIME')
local now = time[1] and time[1] * 1000 + math.floor(time[2] / 1000) or minCounter
-- A counter whose fence has expired starts from the clock again, so a fence must live for longer than
-- clocks differ. Those of clients, which counters follow without TIME, may differ by hours: a day.
if not time[1] then
  fenceTtl = math.max(fenceTtl, 86400000)
end
-- An acquire raises the counters to the time of the client, which puts them above their old values
-- even on a node that lost them. A client whose clock is wrong must not use up the numbers: its time
-- counts only as far as it is within 5 s of the server's.
if operation == 'a' then
  minCounter = math.max(now - 5000, math.min(now + 5000, minCounter))
end

-- Step 2: read all keys by one command, since some hosts bill every command of a script.
local values = call('MGET', unpack(keys))
-- MGET shows a key of another type as a missing one, which NX refuses to replace.
local function put(index, text, ...)
  return call('SET', keys[index], text, values[index] and 'XX' or 'NX', ...) or error('WRONGTYPE ' .. keys[index])
end
-- Which server is this? Two urls of one database must not count as two nodes.
local last = #keys
if identity then
  identity = values[last] or put(last, identity) and identity
  last = last - 1
end

-- What others may see of the owner of a key that has so many ms left: the first eight bytes of the value, as the rest is
-- a secret, and the metadata. What has not the form of a lock or a record, or never expires, is foreign data, of which
-- nobody may see anything.
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
    -- The fencing token rests on this: a counter rises whenever a missing key comes to be held.
    rise = 1
    if not canWrite or operation == 'e' and lastValue ~= value then
      -- A fence shows that another owner had the key. Without one the node has forgotten who had it,
      -- and the lost counter may have been anything up to the clock.
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
    -- The fence was to outlive a lock that might have lived on.
    if lastCounter then
      put(index + 1, fence, 'PX', fenceTtl)
    end
  else
    local life = call('PTTL', keys[index])
    left = math.max(left, life)
    -- Holders end by themselves, foreign data may not: it takes precedence.
    if currentOwner ~= owner then
      canWrite, endless = false, endless or life < 0
      holder = holder ~= 'hforeign' and 'h' .. ownerOf(currentOwner, life) or holder
    end
  end
end
if operation == 'r' then
  put(last, '', 'PX', ttl)
end

-- Step 5: write all keys, or none. Only a key of another type stops it half-way; the client then releases the
-- others. Fences have no room for metadata, since they are what locks leave behind.
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
