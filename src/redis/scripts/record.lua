-- The second script of idempotent requests, which writes records. A claim is an ordinary lock from lock.lua, on a
-- separate kind of key. A record replaces the claim in that key. From then on, lock.lua rejects every claim, and
-- returns the record in place of a holder and its metadata. The protocol is single-decree Paxos: fencing tokens are the
-- ballots, a claim is the promise, and a record is the accepted value.
--
-- KEYS
--   key           the claim, or the record
--   fence         the fence of the key
--   tombstone     exists if this owner has released
--   identity      present only with an identity
--
-- ARGV
--   operation     a: acquire, even over a record; c: complete
--   owner         the value of the claim, a space and the metadata
--   ttl           the TTL of the claim in ms; on complete, the TTL of the record
--   fenceTtl      how long the fence outlives the claim, in ms
--   minCounter    on acquire, the minimum of the counter after the write, as in lock.lua; on complete, the token of
--                 the claim. If the counter is higher than this token, the record is rejected
--   record        on complete, the record: `ID d TOKEN REST`. The ID takes the place of a lock's value, so it is as
--                 public as the first bytes of that value. Else ''
--   identity      optional, as in lock.lua
--
-- Reply: as in lock.lua
--   status        granted      on acquire, this owner holds the key; on complete, the key holds the record
--                 locked       `holder` is the claim of another owner, or a record: on acquire, any record; on
--                              complete, one with this token or a higher one
--                 absent       this owner has released; or, on complete, the counter is higher than the token or the
--                              node has lost its promise
--   counter       the counter of the fence. An acquire that finds a record raises the counter as if it had been
--                 granted, so that no lower token can complete from then on

local call, keys = redis.call, KEYS
local operation, owner, ttl, fenceTtl, minCounter, record, identity = unpack(ARGV)
-- Arguments are strings. Convert these three to numbers.
ttl, fenceTtl, minCounter = ttl + 0, fenceTtl + 0, minCounter + 0
local value = owner:match('[^ ]*')

-- Include steps 1 and 2 of lock.lua: the clock, the keys and the identity.

-- Step 3: examine the key.
local current, fence, tombstone = unpack(values)
local left = -1
if current and (operation == 'a' or current ~= owner) then
  left = math.max(left, call('PTTL', keys[1]))
end
local lastCounter, lastValue = (fence or ''):match('(%d+) (.*)')
local counter = (lastCounter or 0) + 0
local tokenPattern = '^[^ ]* d (%d+) '
local token = current and current:match(tokenPattern)
local status, holder = 'granted', ''
if current and current ~= owner then
  status, holder = 'locked', 'h' .. ownerOf(current, left)
end

if tombstone then
  status, holder = 'absent', ''
elseif operation == 'a' and (token or status == 'granted') then
  -- Step 4: promise. The fence may have expired before the record, and even then the counter must rise.
  counter = math.max(counter, (token or 0) + 0)
  if current ~= owner and (lastValue ~= value or not token) then
    counter = counter + 1
  end
  counter = math.max(counter, minCounter)
  local life = ttl
  if not token then
    life = math.max(ttl, left)
    put(1, owner, 'PX', life)
  end
  put(2, ('%.0f %s'):format(counter, value), 'PX', life + fenceTtl)
elseif operation == 'c' then
  -- Step 4: accept the record, unless a higher token was promised or accepted.
  if current == record then
    status, holder = 'granted', ''
  elseif status == 'granted' or token and token + 0 < record:match(tokenPattern) + 0 then
    status, holder = 'absent', ''
    if lastCounter and counter <= minCounter then
      status = 'granted'
      put(1, record, 'PX', ttl)
    end
  end
end
return { operation .. owner, status, left, holder, counter, identity }
