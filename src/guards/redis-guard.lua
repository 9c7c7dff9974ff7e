-- Runs one command unless a higher fencing token has been used. Redis runs the script atomically, so no other client
-- can write between the check and the command.
--
-- KEYS
--   highest       stores the highest token of the resource
--   command keys  the keys that the command accesses, which Redis Cluster requires
--
-- ARGV
--   token         the fencing token of the holder
--   command       optional: the command and its arguments
--
-- Reply: { 'stale', highest } if a higher token was used: the command did not run
--        { 'done', reply }    with the command's reply, if there is a command
local highest = redis.call('GET', KEYS[1])
if highest and tonumber(highest) > tonumber(ARGV[1]) then
  return { 'stale', highest }
end

-- The token is stored as text, because Lua would round a number of 16 digits to 14. If the command fails, the token
-- stays stored, because it was valid.
redis.call('SET', KEYS[1], ARGV[1])
if ARGV[2] then
  return { 'done', redis.call(unpack(ARGV, 2)) }
end
return { 'done' }
