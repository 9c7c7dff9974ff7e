import { Ratelimit } from '@upstash/ratelimit'
import { Redis } from '@upstash/redis'
import { globalRoute } from '../transports.ts'
import type { Contestant, Session, Setup } from './contestant.ts'

/** A library with a throttle but no lock. */
export type ThrottleContestant = Pick<Contestant, 'name'> & {
  readonly open: (setup: Setup) => Required<Pick<Session, 'throttle' | 'close'>>
}

/** @upstash/ratelimit with its defaults, and one call per window. */
const ratelimit = (algorithm: 'fixedWindow' | 'slidingWindow'): ThrottleContestant => ({
  name: `@upstash/ratelimit, ${algorithm}`,
  open: ({ nodes: [node] }) => {
    const route = globalRoute(node!)
    const redis = new Redis({ url: route.url, token: node!.token, enableTelemetry: false })
    const limiters = new Map<number, Ratelimit>()
    const limiterOf = (window: number): Ratelimit => {
      const known =
        limiters.get(window) ??
        new Ratelimit({ redis, limiter: Ratelimit[algorithm](1, `${window} ms`) })
      limiters.set(window, known)
      return known
    }
    return {
      throttle: async (key, window) => (await limiterOf(window).limit(key)).success,
      close: route.close,
    }
  },
})

export const ratelimits: readonly ThrottleContestant[] = [
  ratelimit('fixedWindow'),
  ratelimit('slidingWindow'),
]
