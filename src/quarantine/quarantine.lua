-- The beginning of every script on a volatile node; `quarantine.ts` puts it there. A server that has restarted may have
-- forgotten locks, so it abstains until every lock that it may have granted has expired. Releases go on, since they
-- grant nothing.
--
-- KEYS            those of the script, the last of which is that of the identity, and
--   run           the run of the server that was seen last, and when its quarantine ends
--
-- ARGV            those of the script, the last of which is the identity, and
--   quarantine    ms during which the server abstains after a restart
--   withoutRunId  '1' to vote although the server reports no run id, or ''
--
-- Reply: that of lock.lua, if the server abstains, with a counter of 0, and
--   status        quarantined  the server restarted lately and may have forgotten locks
--                 unfit        the server lacks what a quarantine needs
--   left          if quarantined, ms until the quarantine ends, else -1
--   holder        if unfit, what the server lacks: TIME or run_id. Else ''

-- The script that follows finds its own keys and arguments.
local withoutRunId = table.remove(ARGV)
local quarantine = table.remove(ARGV)
local runKey = table.remove(KEYS)
local identityKey, identity = KEYS[#KEYS], ARGV[#ARGV]

-- Step 1: read the keys of the server.
local known, note = unpack(redis.call('MGET', identityKey, runKey))
-- MGET shows a key of another type as a missing one, which NX refuses to replace.
local function put(key, current, text)
  return redis.call('SET', key, text, current and 'XX' or 'NX') or error('WRONGTYPE ' .. key)
end
identity = known or put(identityKey, known, identity) and identity

-- Step 2: has it restarted, so that its run differs from the recorded one, or has it lost the record? Without a
-- run id a restart with older data would go unnoticed, and without a clock of its own the server cannot tell
-- when the quarantine ends.
local time = redis.pcall('TIME')
local info = redis.pcall('INFO', 'server')
local run = type(info) == 'string' and info:match('run_id:%w+') or withoutRunId ~= '' and '-'
local lacking = not time[1] and 'TIME' or not run and 'run_id'
local left = -1
if not lacking then
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local lastRun, quarantineEnd = (note or ''):match('(%S+) (%d+)')
  if lastRun ~= run then
    quarantineEnd = now + quarantine
    -- `..` would write a large number in scientific notation.
    put(runKey, note, ('%s %.0f'):format(run, quarantineEnd))
  end
  left = quarantineEnd - now
end
if ARGV[1] ~= 'r' and (lacking or left > 0) then
  return { ARGV[1] .. ARGV[2], lacking and 'unfit' or 'quarantined', left, lacking or '', 0, identity }
end
