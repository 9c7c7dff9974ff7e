-- Adds a waiter to the queue for a key, or removes the waiter. `waking-release.lua` wakes the first waiter in the
-- queue.
--
-- KEYS
--   queue         a sorted set: the IDs of the waiters, by the time when their calls began
--   lock key      the key that the waiters wait for
--
-- ARGV
--   operation     w: wait; l: leave
--   id            the ID of the waiter
--   time          when the waiter's call began, in ms
--   life          the time after which the queue expires unless another waiter joins, in ms
--
-- Reply: { operation and ID, 1 if the lock key is free, else 0 }
--
-- On wait, the waiter's channel receives the message `hello`, which shows that its stream works.

local operation, id, time, life = unpack(ARGV)
local queue, key = unpack(KEYS)
if operation == 'l' then
  redis.call('ZREM', queue, id)
else
  -- A waiter that is already in the queue keeps its place.
  redis.call('ZADD', queue, 'NX', time, id)
  redis.call('PEXPIRE', queue, life)
  redis.call('PUBLISH', queue .. ':' .. id, 'hello')
end
return { operation .. id, 1 - redis.call('EXISTS', key) }
