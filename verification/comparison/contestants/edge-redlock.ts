import { type Lock, Redlock, type RedlockOptions, throttle, withSlots } from '../../../src/index.ts'
import { restFetch } from '../transports.ts'
import type { Contestant, Hold, Setup } from './contestant.ts'

type Options = Omit<RedlockOptions, 'nodes'>

const redlockOf = ({ nodes, ttl, retries, timeout, quorum }: Setup, options: Options): Redlock =>
  new Redlock({
    ...options,
    nodes: nodes.map((node) => ({ url: node.url, token: node.token, fetch: restFetch(node) })),
    ttl,
    warnings: false,
    retry: { attempts: retries + 1 },
    ...(timeout && { nodeTimeout: Math.min(timeout, Math.max(ttl, 2_000)) }),
    ...(quorum && { advanced: { quorum } }),
  })

const holdOf = (lock: Lock): Hold => ({
  extend: async (time) => {
    await lock.extend(time)
    return true
  },
  release: () => lock.release(),
  left: () => lock.expiresIn,
})

/** This project over its REST nodes, with options in addition to those of the case. */
const contestantOf = (name: string, options: Options = {}): Contestant => ({
  name,
  folder: undefined,
  lacks: {},
  redisKey: (key) => `lock:l:${key}`,
  timeoutBy: undefined,
  resends: 0,
  unit: 1,
  open: (setup) => {
    const redlock = redlockOf(setup, options)
    const slots = withSlots(redlock)
    return {
      acquire: async (keys, options = {}) => holdOf(await redlock.acquire(keys, options)),
      acquireSlot: async (key, limit) => holdOf(await slots.acquire(key, { limit })),
      run: (key, routine) => redlock.using(key, {}, (lock) => routine(() => lock.signal.aborted)),
      throttle: async (key, window) => (await throttle(redlock, key, { window })).ok,
      close: () => {},
    }
  },
})

/** This project with its defaults. */
export const edgeRedlock = contestantOf('edge-redlock')

/** This project with `strategy: 'frugal'`: rejected calls cost one request, a grant two round trips. */
export const edgeRedlockFrugal = contestantOf('edge-redlock, frugal', { strategy: 'frugal' })
