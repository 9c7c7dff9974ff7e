-- Runs one command unless a higher fencing token has been seen. Redis runs the script atomically, so no other client
-- writes between the check and the command.
--
-- KEYS
--   highest       where the highest token of the resource is stored
--   command keys  the keys that the command touches, as Redis Cluster requires
--
-- ARGV
--   token         the fencing token of the holder
--   command       optional: the command and its arguments
--
-- Reply: { 'stale', highest } if a higher token was seen: nothing was done
--        { 'done', reply }    with the reply of the command, if there is one
local highest = redis.call('GET', KEYS[1])
if highest and tonumber(highest) > tonumber(ARGV[1]) then
  return { 'stale', highest }
end

-- The token is stored as the received text, since Lua would write a number of 16 digits with only 14. If the command
-- fails, the token stays stored, since it was valid.
redis.call('SET', KEYS[1], ARGV[1])
if ARGV[2] then
  return { 'done', redis.call(unpack(ARGV, 2)) }
end
return { 'done' }
