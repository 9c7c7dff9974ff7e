// Generated from redis-guard.lua by `npm run generate`. Change it there.
import type { Script } from '../protocol/script.ts'

export const redisGuardScript: Script = {
  sha: '3f88d65dd37a70fe48196da64a52ae4a5edcd741',
  source: `local a=redis.call('GET',KEYS[1])if a and tonumber(a)>tonumber(ARGV[1])then return{'stale',a}end redis.call('SET',KEYS[1],ARGV[1])if ARGV[2]then return{'done',redis.call(unpack(ARGV,2))}end return{'done'}`,
}
