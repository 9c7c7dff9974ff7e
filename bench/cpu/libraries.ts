import { Redlock as Sesamecare } from '@sesamecare-oss/redlock'
import { Lock } from '@upstash/lock'
import { Redis } from '@upstash/redis'
import { RedlockMutex } from 'redis-semaphore'
import Redlock4 from 'redlock-4'
import Redlock5 from 'redlock-5'
import { createRedlock, IoredisAdapter } from 'redlock-universal'
import { Redlock, restNode } from '../../src/index.ts'
import { bareFetch, bareNodes } from './bare.ts'
import { stubClient, stubFetch, stubNode } from './stubs.ts'

/** A lock that is held, with whatever its holder needs to give it back. */
export type Held = { readonly release: () => Promise<unknown> }

/** Acquires a key. A library whose object is for one key gets to make it beforehand. */
export type Acquire = () => Promise<Held>

/** One library with its defaults, apart from the ttl, over what answers at once. */
export type Side = {
  readonly name: string
  readonly open: () => (key: string) => Acquire
}

const ttl = 30_000
const five = <T>(make: (name: string) => T): T[] => ['a', 'b', 'c', 'd', 'e'].map(make)

const redlock5 = (name: string, Class: typeof Sesamecare): Side => ({
  name,
  open: () => {
    const redlock = new Class(five(stubClient))
    return (key) => () => redlock.acquire([key], ttl)
  },
})

/** What none can be faster than. */
const bare = 'no library'

/** Five nodes without any transport. */
const overNodes: readonly Side[] = [
  { name: bare, open: bareNodes },
  {
    name: 'edge-redlock',
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

/** One node behind `fetch`, with the response and its body as in earnest. */
const overFetch: readonly Side[] = [
  { name: bare, open: bareFetch },
  {
    name: 'edge-redlock',
    open: () => {
      const redlock = new Redlock({ nodes: [restNode({ url, token, fetch: stubFetch })], ttl })
      return (key) => () => redlock.acquire(key)
    },
  },
  {
    name: '@upstash/lock',
    open: () => {
      // The only one in its process that fetches; it takes the global one.
      globalThis.fetch = stubFetch
      const client = new Redis({ url, token, enableTelemetry: false })
      // Its types take the client of CommonJS and not that of ESM; it is the same one.
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
 * By what stands in for the servers; with what the fastest rival is to be outdone by. First what
 * takes no library, then this project, then the rivals.
 */
export const matches = {
  'stub nodes, no HTTP': { sides: overNodes, least: 1.5 },
  'stub fetch, one node': { sides: overFetch, least: 2 },
} as const

export type Match = keyof typeof matches
