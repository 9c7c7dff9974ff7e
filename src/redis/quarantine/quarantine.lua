-- This code runs before every script on a volatile node; `quarantine.ts` adds it. A server that has restarted or been
-- promoted may have lost locks, so it abstains until every lock that it may have granted has expired. Releases still
-- run, because they grant nothing.
--
-- KEYS            the keys of the script, the last of which is the identity, and
--   run           the last known run of the server, the end of its quarantine, and its replication history
--
-- ARGV            the arguments of the script, the last of which is the identity, and
--   quarantine    how long the server abstains after a restart or a promotion, in ms
--   withoutRunId  '1' to vote even if the server reports no run ID, else ''
--
-- Reply, if the server abstains: the reply of lock.lua, with a counter of 0, and
--   status        quarantined  the server recently restarted or was promoted, and may have lost locks
--                 unfit        the server lacks a command or field that a quarantine needs
--   left          if quarantined, ms until the quarantine ends, else -1
--   holder        if unfit, the missing command or field: TIME or run_id; else ''

-- Remove the additional key and arguments, so that the following script finds only its own.
local withoutRunId = table.remove(ARGV)
local quarantine = table.remove(ARGV)
local runKey = table.remove(KEYS)
local identityKey, identity = KEYS[#KEYS], ARGV[#ARGV]

-- Step 1: read the server's identity and its last known run.
local known, note = unpack(redis.call('MGET', identityKey, runKey))
-- MGET returns nil for a key of another type, as if it were missing. With NX, SET does not replace that key.
local function put(key, current, text)
  return redis.call('SET', key, text, current and 'XX' or 'NX') or error('WRONGTYPE ' .. key)
end
identity = known or put(identityKey, known, identity) and identity

-- Step 2: detect whether the server has restarted, so that its run differs from the recorded one, or has lost that
-- record. Without a run ID, a restart with older data would go unnoticed. Without TIME, the server could not detect the
-- end of the quarantine.
local function info(...)
  local text = redis.pcall('INFO', ...)
  return type(text) == 'string' and text or ''
end
-- Redis 7.0 introduced both this version number and INFO with several sections. On older servers, every call would add
-- to the error count.
local facts = redis.REDIS_VERSION_NUM and info('server', 'replication') or ''
if not facts:find('run_id:', 1, true) then
  facts = info('server') .. info('replication')
end
-- A plain-text search is several times as fast as a pattern match.
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
  -- A failover to a replica and back does not change the run, but each promotion starts a new history. Versions of this
  -- script without support for histories ignore the history in the record, or leave it out.
  local history = field('master_replid:')
  history = history and ' ' .. history or lastHistory or ''
  -- A primary also starts a new history without a promotion: when its first replica connects, or after a long time
  -- without replicas. Only after a promotion does INFO contain the previous history.
  local continues = history == lastHistory or lastHistory == '' or facts:match('master_replid2:0+%c')
  local isKnown = lastRun == run and continues
  quarantineEnd = isKnown and quarantineEnd or now + quarantine
  left = quarantineEnd - now
  -- During a quarantine, the server grants nothing that a promotion could lose, so a new history can be recorded
  -- afterwards.
  if not isKnown or left <= 0 and history ~= lastHistory then
    -- `..` would write a large number in scientific notation.
    put(runKey, note, ('%s %.0f%s'):format(run, quarantineEnd, history))
  end
end
if ARGV[1] ~= 'r' and (lacking or left > 0) then
  return { ARGV[1] .. ARGV[2], lacking and 'unfit' or 'quarantined', left, lacking or '', 0, identity }
end
