import { Lock } from '@upstash/lock'
import { Redis } from '@upstash/redis'
import { globalRoute } from '../transports.ts'
import { type Contestant, Declined } from './contestant.ts'

// Its client automatically resends failed commands, by default 5 times within 4 s. Here it resends them twice, so
// that a case does not wait for it.
const resends = 2

/** @upstash/lock with @upstash/redis: a lock on one database, with one `Lock` per key. */
export const upstashLock: Contestant = {
  name: '@upstash/lock',
  folder: '@upstash/lock',
  lacks: {
    'several nodes': 'one node',
    quorum: 'one node',
    signal: 'acquire takes no AbortSignal',
    'several keys': 'one key per lock',
    run: 'no helper that runs a routine and releases',
    'extends itself': 'no automatic extension',
    metadata: 'a lock carries nothing but a UUID',
    slots: 'a lock has one holder',
  },
  redisKey: (key) => key,
  timeoutBy: 'signal of @upstash/redis',
  resends,
  unit: 1000,
  open: ({ nodes, ttl, retries, timeout }) => {
    const route = globalRoute(nodes[0]!)
    const redis = new Redis({
      url: route.url,
      token: nodes[0]!.token,
      enableTelemetry: false,
      retry: { retries: resends, backoff: () => 20 },
      ...(timeout && { signal: () => AbortSignal.timeout(timeout) }),
    })
    const shared = {
      // Its types expect the CommonJS type of the client, which is the same class.
      redis: redis as unknown as ConstructorParameters<typeof Lock>[0]['redis'],
      lease: ttl,
      retry: { attempts: retries + 1, delay: 100 },
    }
    const locks = new Map<string, Lock>()
    const lockOf = (id: string): Lock => {
      const known = locks.get(id)
      if (known) return known
      const lock = new Lock({ ...shared, id })
      locks.set(id, lock)
      return lock
    }
    return {
      acquire: async ([key]) => {
        const lock = lockOf(key!)
        if (!(await lock.acquire())) throw new Declined('acquire resolved to false')
        return { extend: (time) => lock.extend(time), release: () => lock.release() }
      },
      close: route.close,
    }
  },
}
