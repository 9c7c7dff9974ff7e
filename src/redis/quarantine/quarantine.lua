-- The beginning of every script on a volatile node; `quarantine.ts` puts it there. A server that has restarted, or was
-- promoted, may have forgotten locks, so it abstains until every lock that it may have granted has expired. Releases go
-- on, since they grant nothing.
--
-- KEYS            those of the script, the last of which is that of the identity, and
--   run           the run of the server that was seen last, when its quarantine ends, and its replication history
--
-- ARGV            those of the script, the last of which is the identity, and
--   quarantine    ms during which the server abstains after a restart or a promotion
--   withoutRunId  '1' to vote although the server reports no run id, or ''
--
-- Reply: that of lock.lua, if the server abstains, with a counter of 0, and
--   status        quarantined  the server restarted or was promoted lately, and may have forgotten locks
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
local function info(...)
  local text = redis.pcall('INFO', ...)
  return type(text) == 'string' and text or ''
end
-- Redis 7.0 introduced both this number and several sections of INFO. Older servers would count an error per call.
local facts = redis.REDIS_VERSION_NUM and info('server', 'replication') or ''
if not facts:find('run_id:', 1, true) then
  facts = info('server') .. info('replication')
end
-- The place of a plain text is found several times as fast as a pattern.
local function field(name)
  local place = facts:find(name, 1, true)
  return place and facts:match(name .. '%w+', place)
end
local time = redis.pcall('TIME')
local run = field('run_id:') or withoutRunId ~= '' and '-'
local lacking = not time[1] and 'TIME' or not run and 'run_id'
local left = -1
if not lacking then
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local lastRun, quarantineEnd, lastHistory = (note or ''):match('(%S+) (%d+)( ?%S*)')
  -- A fail-over to a replica, and back, leaves the run as it was, but each promotion begins another history. Versions
  -- that do not know histories ignore that of the record, or leave it out.
  local history = field('master_replid:')
  history = history and ' ' .. history or lastHistory or ''
  -- A primary that was not promoted begins another history as well: when its first replica comes, or when the last one
  -- has been away for long. Only a promotion names the history before it.
  local continues = history == lastHistory or lastHistory == '' or facts:match('master_replid2:0+%c')
  local isKnown = lastRun == run and continues
  quarantineEnd = isKnown and quarantineEnd or now + quarantine
  left = quarantineEnd - now
  -- During a quarantine the server grants nothing that a promotion could lose, so the record may wait.
  if not isKnown or left <= 0 and history ~= lastHistory then
    -- `..` would write a large number in scientific notation.
    put(runKey, note, ('%s %.0f%s'):format(run, quarantineEnd, history))
  end
end
if ARGV[1] ~= 'r' and (lacking or left > 0) then
  return { ARGV[1] .. ARGV[2], lacking and 'unfit' or 'quarantined', left, lacking or '', 0, identity }
end
