import { Redlock as Sesamecare } from '@sesamecare-oss/redlock'
import { Lock } from '@upstash/lock'
import { Redis } from '@upstash/redis'
import { RedlockMutex } from 'redis-semaphore'
import Redlock4 from 'redlock-4'
import Redlock5 from 'redlock-5'
import { createRedlock, IoredisAdapter } from 'redlock-universal'
import { Redlock, restNode } from '../../src/index.ts'
import { type Acquire, bareFetch, bareNodes } from './no-library.ts'
import { stubClient, stubFetch, stubNode } from './stubs.ts'

/** One library with its defaults except the TTL, over nodes that reply immediately. */
type Library = { readonly name: string; readonly open: () => (key: string) => Acquire }

const ttl = 30_000
const five = <T>(make: (name: string) => T): T[] => ['a', 'b', 'c', 'd', 'e'].map(make)

const redlock5 = (name: string, Class: typeof Sesamecare): Library => ({
  name,
  open: () => {
    const redlock = new Class(five(stubClient))
    return (key) => () => redlock.acquire([key], ttl)
  },
})

/** An upper bound: no library can be faster. */
export const bare = 'no library'

/** This project. */
export const own = 'edge-redlock'

/** The libraries over five nodes without any transport. */
const overNodes: readonly Library[] = [
  { name: bare, open: bareNodes },
  {
    name: own,
    open: () => {
      const redlock = new Redlock({ nodes: five(stubNode), ttl })
      return (key) => () => redlock.acquire(key)
    },
  },
  {
    name: 'redlock 4',
    open: () => {
      const redlock = new Redlock4(five(stubClient))
      return (key) => async () => {
        const lock = await redlock.lock([key], ttl)
        return { release: () => lock.unlock() }
      }
    },
  },
  redlock5('redlock 5', Redlock5),
  redlock5('sesamecare', Sesamecare),
  {
    name: 'redis-semaphore',
    open: () => {
      const clients = five(stubClient)
      return (key) => {
        const mutex = new RedlockMutex(clients, key, { lockTimeout: ttl, refreshInterval: 0 })
        return async () => {
          await mutex.acquire()
          return mutex
        }
      }
    },
  },
  {
    name: 'redlock-universal',
    open: () => {
      const adapters = five(() => new IoredisAdapter(stubClient()))
      return (key) => {
        const lock = createRedlock({ adapters, key, ttl })
        return async () => {
          const handle = await lock.acquire()
          return { release: () => lock.release(handle) }
        }
      }
    },
  },
]

const url = 'http://node.invalid'
const token = 'token'

/** The libraries over one node behind `fetch`, with a real response and body. */
const overFetch: readonly Library[] = [
  { name: bare, open: bareFetch },
  {
    name: own,
    open: () => {
      const redlock = new Redlock({ nodes: [restNode({ url, token, fetch: stubFetch })], ttl })
      return (key) => () => redlock.acquire(key)
    },
  },
  {
    name: '@upstash/lock',
    open: () => {
      // It has no `fetch` option, and no other library runs in its process.
      globalThis.fetch = stubFetch
      const client = new Redis({ url, token, enableTelemetry: false })
      // Its types expect the CommonJS type of the client, which is the same class.
      const redis = client as unknown as ConstructorParameters<typeof Lock>[0]['redis']
      return (key) => {
        const lock = new Lock({ id: key, redis, lease: ttl })
        return async () => {
          if (!(await lock.acquire())) throw new Error('acquire resolved to false')
          return lock
        }
      }
    },
  },
]

/**
 * The libraries of a match, by the stand-in for the servers: first no library, then this project, then the others.
 */
export const matches = {
  'stub nodes, no HTTP': overNodes,
  'stub fetch, one node': overFetch,
} as const satisfies { readonly [match: string]: readonly Library[] }

export type Match = keyof typeof matches
