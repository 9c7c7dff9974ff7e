import type { Contestant } from './contestant.ts'
import { edgeRedlock } from './edge-redlock.ts'
import { redisSemaphore } from './redis-semaphore.ts'
import { redlock4 } from './redlock-4.ts'
import { redlock5, sesamecare } from './redlock-5.ts'
import { redlockUniversal } from './redlock-universal.ts'
import { upstashLock } from './upstash-lock.ts'

/** All contestants in the order of the columns; this project is the first. */
export const contestants: readonly Contestant[] = [
  edgeRedlock,
  redlock4,
  redlock5,
  sesamecare,
  redisSemaphore,
  redlockUniversal,
  upstashLock,
]
