-- The script that `check(redlock)` runs on a server. If the server rejects a command, this script reports that, whereas
-- the lock script works without the command.
--
-- KEYS
--   identity      the key of the server's random ID
--
-- ARGV
--   The first six arguments of the lock script, so that every kind of node can send them. Operation and owner are
--   only echoed. The sixth argument is an ID for a server that does not have one yet.
--
-- Reply: { echo, identity, time, info, writeError, timeError, infoError }
--   echo          operation and owner as they were sent
--   identity      the ID of the server; '' if it cannot be read
--   time          ms since 1970 by the clock of the server; 0 if TIME is rejected
--   info          the reply to INFO; '' if INFO is rejected
--   ...Error      the server's error if it rejects a write or a read, TIME, or INFO, respectively; else ''

-- These are commands that the lock script runs, plus INFO, so that the check detects missing permissions.
local written = redis.pcall('SET', KEYS[1], ARGV[6], 'NX')
local values = redis.pcall('MGET', KEYS[1])
local identity = values[1]
local left = redis.pcall('PTTL', KEYS[1])
local time = redis.pcall('TIME')
local info = redis.pcall('INFO')
return {
  ARGV[1] .. ARGV[2],
  type(identity) == 'string' and identity or '',
  time[1] and time[1] * 1000 + math.floor(time[2] / 1000) or 0,
  type(info) == 'string' and info or '',
  type(written) == 'table' and written.err or values.err or type(left) == 'table' and left.err or '',
  time.err or '',
  type(info) == 'table' and info.err or '',
}
