import { Redlock, type RedlockOptions } from '../../../src/index.ts'
import { restFetch } from '../transports.ts'
import type { Contestant, Setup } from './contestant.ts'

type Options = Omit<RedlockOptions, 'nodes'>

const redlockOf = ({ nodes, ttl, retries, timeout, quorum }: Setup, options: Options): Redlock =>
  new Redlock({
    ...options,
    nodes: nodes.map((node) => ({ url: node.url, token: node.token, fetch: restFetch(node) })),
    ttl,
    retry: { attempts: retries + 1 },
    ...(timeout && { nodeTimeout: timeout }),
    ...(quorum && { quorum }),
  })

/** This project, over its own REST nodes, with options of its own beside those of the case. */
export const contestantOf = (name: string, options: Options = {}): Contestant => ({
  name,
  folder: undefined,
  lacks: {},
  redisKey: (key) => `lock:l:${key}`,
  timeoutBy: undefined,
  resends: 0,
  unit: 1,
  open: (setup) => {
    const redlock = redlockOf(setup, options)
    return {
      acquire: async (keys, options = {}) => {
        const lock = await redlock.acquire(keys, options)
        return {
          extend: async (time) => {
            await lock.extend(time)
            return true
          },
          release: () => lock.release(),
          left: () => lock.expiresIn,
          secret: lock.value,
        }
      },
      run: (key, routine) => redlock.using(key, {}, (lock) => routine(() => lock.signal.aborted)),
      throttle: async (key, window) => (await redlock.throttle(key, { window })).ok,
      close: () => {},
    }
  },
})

/** With its defaults. */
export const edgeRedlock = contestantOf('edge-redlock')

/** One request for those who are refused, two round trips for the winner. */
export const edgeRedlockFrugal = contestantOf('edge-redlock, frugal', { strategy: 'frugal' })
