-- A waiter queues up for a key, or leaves the queue. `waking-release.lua` wakes the first of the queue.
--
-- KEYS
--   queue         a sorted set: the IDs of waiters, by the time at which their calls began
--   lock key      the key that they wait for
--
-- ARGV
--   operation     w: wait; l: leave
--   id            the ID of the waiter
--   time          when its call began, in ms
--   life          ms after which the queue expires unless another waiter joins it
--
-- Reply: { operation and ID, whether the lock key is free: 1 or 0 }
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
