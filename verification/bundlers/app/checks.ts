import {
  isLockLostError,
  type LockEvent,
  Redlock,
  type RestNodeOptions,
} from '../../../src/index.ts'
import { command } from '../../../tools/servers/node-commands.ts'
import { type CheckArguments, equal } from '../../runtimes/core.ts'

/** The arguments of a check that also needs the nodes themselves. */
type NodeCheckArguments = CheckArguments & { readonly nodes: readonly RestNodeOptions[] }

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

// The delay in ms of requests to the other nodes, which is longer than the clients need to begin.
const distance = 80

/** As many clients as nodes. Each reaches a different node first, so each gets one vote. */
const scattered = (
  nodes: readonly RestNodeOptions[],
  onEvent: (event: LockEvent) => void,
): Redlock[] =>
  nodes.map((near) => {
    const late: typeof fetch = async (input, init) => {
      await sleep(distance)
      return fetch(input, init)
    }
    const seen = nodes.map((node) => (node === near ? node : { ...node, fetch: late }))
    return new Redlock({ nodes: seen, ttl: 3000, onEvent })
  })

/** Repeats a burst until a vote was split. On a busy machine, the clients may begin too far apart. */
const untilSplit = async (
  nodes: readonly RestNodeOptions[],
  burst: (clients: readonly Redlock[]) => Promise<void>,
): Promise<string> => {
  const events = new Set<string>()
  const clients = scattered(nodes, ({ type }) => void events.add(type))
  for (let round = 0; round < 10 && !events.has('split'); round++) await burst(clients)
  equal(events.has('split'), true, 'a split vote')
  return 'ok'
}

type NodeChecks = Readonly<Record<string, (args: NodeCheckArguments) => Promise<string>>>

/** The checks of a bundle under contention. */
export const contention: NodeChecks = {
  'a split vote with one winner': ({ nodes, key }) =>
    untilSplit(nodes, async (clients) => {
      const burst = await Promise.all(clients.map((client) => client.tryAcquire(key)))
      equal(burst.filter(({ ok }) => ok).length, 1, 'winners')
      equal(burst.filter((one) => !one.ok && one.reason === 'locked').length, 2, 'rejected')
      for (const result of burst) if (result.ok) await result.lock.release()
    }),
  'a split vote whose losers wait': ({ nodes, key }) =>
    untilSplit(nodes, async (clients) => {
      let inside = 0
      const run = async (): Promise<void> => {
        equal(++inside, 1, 'holders')
        await sleep(20)
        inside--
      }
      await Promise.all(clients.map((client) => client.using(key, { wait: 15_000 }, run)))
    }),
}

/** Locks that are held for some time. */
export const holding: NodeChecks = {
  'a lock that is kept longer than its ttl': async ({ redlock, other, key }) => {
    await redlock.using(key, { ttl: 2000 }, async (lock) => {
      for (let part = 0; part < 3; part++) {
        await sleep(1000)
        equal((await other.tryAcquire(key)).ok, false, 'another client')
      }
      equal(lock.held, true, 'held')
    })
    return 'ok'
  },
  'a lock that is lost': async ({ redlock, key, nodes }) => {
    const error = await redlock
      .using(key, { ttl: 2000 }, async (lock) => {
        const thief = ['SET', `lock:l:${key}`, 'somebody-else', 'PX', 10_000]
        await Promise.all(nodes.map((node) => command(node, ...thief)))
        while (!lock.signal.aborted) await sleep(50)
        lock.signal.throwIfAborted()
      })
      .catch((reason: unknown) => reason)
    equal(isLockLostError(error), true, `LockLostError: ${String(error)}`)
    await Promise.all(nodes.map((node) => command(node, 'DEL', `lock:l:${key}`)))
    return 'ok'
  },
}
