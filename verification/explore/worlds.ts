import { forceRelease, inspect, type Lock } from '../../src/index.ts'
import { once } from '../../src/entries/idempotency.ts'
import type { Client, World } from './world.ts'

/** Acquires the lock, works with it, and releases it even if the work fails. */
const withLock = async (
  { redlock, key, observe }: Client,
  work: (lock: Lock) => Promise<void>,
): Promise<void> => {
  const lock = await redlock.acquire(key, { wait: 0 })
  observe.acquired(lock)
  try {
    await work(lock)
  } finally {
    observe.releases(lock)
    await lock.release()
  }
}

/** Acquires the lock and reads its token. */
const hold = (client: Client): Promise<void> =>
  withLock(client, async (lock) => {
    client.observe.knows(lock, await lock.fencingToken())
    await client.goOn()
  })

/** Acquires the lock, extends it and reads its token. */
const extend = (client: Client): Promise<void> =>
  withLock(client, async (lock) => {
    await client.goOn()
    client.observe.extends(lock)
    await lock.extend()
    client.observe.extended(lock)
    client.observe.knows(lock, await lock.fencingToken())
  })

/** Acquires the lock, and never releases it. */
const acquire = async ({ redlock, key, observe }: Client): Promise<void> => {
  observe.acquired(await redlock.acquire(key, { wait: 0 }))
}

/** An operator releases the lock by force. */
const force = async ({ redlock, key, goOn, observe }: Client): Promise<void> => {
  await goOn()
  const { holder: id } = await inspect(redlock, key)
  if (id === undefined) return
  observe.forces(id)
  const { state } = await forceRelease(redlock, key, { id })
  if (state === 'released') observe.forced(id)
}

/** Runs a function once. */
const run = async ({ name, redlock, key, goOn, observe }: Client): Promise<void> => {
  const value = await once(redlock, key, { keepFor: 60_000, wait: 0 }, async (lock) => {
    observe.acquired(lock)
    await goOn()
    observe.releases(lock)
    return `value of ${name}`
  })
  observe.receives(value)
}

/** The same as `acquire`, but later. */
const acquireLater = async (client: Client): Promise<void> => {
  await client.goOn()
  await acquire(client)
}

/** The same as `hold`, but later. */
const holdLater = async (client: Client): Promise<void> => {
  await client.goOn()
  await hold(client)
}

// Clocks comply with the default drift of 1 % if each is off by less than half of it.
const [fast, slow] = [1.0045, 0.9955]

/** All worlds, each with the faults that it is about. */
export const worlds: readonly World[] = [
  {
    name: 'click',
    description: 'two clients ask for the lock simultaneously',
    nodes: 3,
    programs: [acquire, acquire],
    bounds: { late: 1 },
    longBounds: { late: 2, delays: 3 },
  },
  {
    name: 'crowd',
    description: 'three clients ask for the lock simultaneously',
    nodes: 3,
    programs: [acquire, acquire, acquire],
    bounds: {},
    longBounds: { late: 2, delays: 2 },
  },
  {
    name: 'hand-over',
    description: 'two clients hold the lock in turn, and read their tokens',
    nodes: 3,
    programs: [hold, hold],
    bounds: {},
    longBounds: { late: 2, delays: 1 },
  },
  {
    name: 'lost',
    description: 'a message is lost, or a connection breaks',
    nodes: 3,
    programs: [acquire, hold],
    bounds: { losses: 1 },
    longBounds: { losses: 2, late: 1, delays: 1 },
  },
  {
    name: 'repeated',
    description: 'a request reaches a node twice',
    nodes: 3,
    programs: [acquire, hold],
    bounds: { repeats: 1 },
    longBounds: { repeats: 2, late: 1, delays: 1 },
  },
  {
    name: 'delayed',
    description: 'a reply takes long, and the lock expires',
    nodes: 3,
    programs: [acquire, acquireLater],
    bounds: { delays: 1, leaps: 1 },
    longBounds: { delays: 2, leaps: 2, late: 1 },
  },
  {
    name: 'expired',
    description: 'a lock expires, its holder is paused, and clocks differ',
    nodes: 3,
    programs: [extend, acquireLater],
    bounds: { leaps: 1, pauses: 1 },
    longBounds: { leaps: 2, pauses: 1, late: 1 },
    clientRates: [slow, fast],
    nodeRates: [fast, fast, slow],
  },
  {
    name: 'crashed',
    description: 'a client crashes, and its lock expires',
    nodes: 3,
    programs: [extend, holdLater],
    bounds: { crashes: 1, leaps: 1 },
    longBounds: { crashes: 1, leaps: 2, late: 1, losses: 1 },
  },
  {
    name: 'restarted',
    description: 'a volatile node restarts without its data',
    nodes: 3,
    programs: [extend, holdLater],
    bounds: { restarts: 1, leaps: 1 },
    longBounds: { restarts: 1, leaps: 2, late: 1, losses: 1 },
    isVolatile: true,
  },
  {
    name: 'forced',
    description: 'somebody releases the lock by force',
    nodes: 3,
    programs: [extend, holdLater, force],
    bounds: {},
    longBounds: { late: 1, losses: 1 },
  },
  {
    name: 'record',
    description: 'two calls run a function once, and the owner of the claim may crash',
    nodes: 3,
    programs: [run, run],
    bounds: { crashes: 1, leaps: 1 },
    longBounds: { crashes: 1, leaps: 2, late: 1, losses: 1 },
  },
]
