import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import {
  type Lock,
  type Redlock,
  type RedlockOptions,
  throttle,
  withSlots,
  withWakeUp,
} from '../../src/index.ts'
import { forget, idempotent, once } from '../../src/entries/idempotency.ts'
import { slowClock } from '../support/slow-clock.ts'

/** One step of a call whose cost is measured, after its preparation. */
export type Step = {
  readonly options?: Partial<RedlockOptions>
  /** What happens before. `other` is a client in another isolate. */
  readonly prepare?: (client: Redlock, other: Redlock, key: string) => Promise<unknown>
  readonly run: (client: Redlock, key: string, prepared: unknown) => Promise<unknown>
  /** Ends what the preparation has begun. Its cost does not count. */
  readonly finish?: (prepared: unknown) => Promise<unknown>
  /** The most commands that each node may execute; those of a volatile node are three more for each request. */
  readonly perNode: number
}

const window = 60_000

// Ms in which a stream is open on this machine; a step that was measured before is measured again.
const opening = 1_500

const post = async (
  redlock: Redlock,
  key: string,
  work: () => Promise<void> = async () => {},
): Promise<Response> => {
  const app = new Hono()
  app.post('/', idempotent({ redlock, scope: () => 'user' }), async (c) => {
    await work()
    return c.text('done')
  })
  return app.request('/', { method: 'POST', headers: { 'idempotency-key': key } })
}

/** Sends a request whose handler goes on until it is told to end. Resolves once the handler runs. */
const runningPost = (redlock: Redlock, key: string): Promise<() => Promise<unknown>> =>
  new Promise((resolve) => {
    const answer = post(redlock, key, () => {
      return new Promise<void>((end) =>
        resolve(() => {
          end()
          return answer
        }),
      )
    })
  })

const runOnce = (redlock: Redlock, key: string): Promise<string> =>
  once(redlock, key, { keepFor: window }, async () => 'value')

const fill = async (client: Redlock, key: string, limit: number): Promise<void> => {
  for (let slot = 0; slot < limit; slot++) await withSlots(client).acquire(key, { limit })
}

const fillThrottle = async (client: Redlock, key: string, limit: number): Promise<void> => {
  for (let slot = 0; slot < limit; slot++) await throttle(withSlots(client), key, { window, limit })
}

const withLimit = (limit: number): Record<string, Step> => ({
  [`lock with \`limit: ${limit}\`: acquired and released`]: {
    run: async (client, key) => (await withSlots(client).acquire(key, { limit })).release(),
    perNode: 11,
  },
  [`lock with \`limit: ${limit}\`: rejected`]: {
    prepare: (_, other, key) => fill(other, key, limit),
    run: (client, key) => withSlots(client).tryAcquire(key, { limit }),
    perNode: 3 + limit,
  },
  [`throttle with \`limit: ${limit}\`: passes`]: {
    run: (client, key) => throttle(withSlots(client), key, { window, limit }),
    perNode: 4,
  },
  [`throttle with \`limit: ${limit}\`: rejected`]: {
    prepare: (_, other, key) => fillThrottle(other, key, limit),
    run: (client, key) => throttle(withSlots(client), key, { window, limit }),
    perNode: 3 + limit,
  },
})

/** All steps, by the text in the first column of the table. */
export const steps: Readonly<Record<string, Step>> = {
  'lock: acquired': { run: (client, key) => client.acquire(key), perNode: 5 },
  'lock: released': {
    prepare: (client, _, key) => client.acquire(key),
    run: (_client, _key, lock) => (lock as Lock).release(),
    perNode: 6,
  },
  'lock: acquired and released': {
    run: async (client, key) => (await client.acquire(key)).release(),
    perNode: 11,
  },
  'lock: extended once': {
    prepare: (client, _, key) => client.acquire(key),
    run: (_client, _key, lock) => (lock as Lock).extend(),
    perNode: 6,
  },
  'lock: rejected': {
    prepare: (_, other, key) => other.acquire(key),
    run: (client, key) => client.tryAcquire(key),
    perNode: 4,
  },
  "lock: rejected, `strategy: 'frugal'`": {
    options: { strategy: 'frugal' },
    prepare: (_, other, key) => other.acquire(key),
    run: (client, key) => client.tryAcquire(key),
    perNode: 4,
  },
  'lock: waits, and gives up after five tries': {
    // All within the second for which the first answer counts, and no answer so late that other nodes are asked, also
    // on a busy machine.
    options: {
      retry: { attempts: 5, delay: 7, maxDelay: 8 },
      advanced: { clock: slowClock(50) },
    },
    prepare: (_, other, key) => other.acquire(key),
    run: (client, key) => client.acquire(key, { wait: 20_000 }).catch(() => {}),
    perNode: 12,
  },
  'lock: waits with `withWakeUp`, is woken, and releases': {
    // The first pause is longer than it takes to open the stream, so that no try comes in between.
    options: { retry: { delay: 5_000, maxDelay: 5_001 } },
    prepare: (_, other, key) => withWakeUp(other).acquire(key),
    run: async (client, key, held) => {
      const waiting = withWakeUp(client).acquire(key, { wait: 20_000 })
      await sleep(opening)
      await (held as Lock).release()
      await (await waiting).release()
    },
    perNode: 30,
  },
  'throttle: passes': {
    run: (client, key) => throttle(client, key, { window }),
    perNode: 4,
  },
  'throttle: rejected, first time in an isolate': {
    prepare: (_, other, key) => throttle(other, key, { window }),
    run: (client, key) => throttle(client, key, { window }),
    perNode: 4,
  },
  'throttle: rejected again': {
    prepare: (client, _, key) => throttle(client, key, { window }),
    run: (client, key) => throttle(client, key, { window }),
    perNode: 0,
  },
  ...withLimit(100),
  'idempotent: first request': { run: (client, key) => post(client, key), perNode: 9 },
  'idempotent: replayed': {
    prepare: (_, other, key) => post(other, key),
    run: (client, key) => post(client, key),
    perNode: 4,
  },
  'idempotent: rejected while the first one runs': {
    prepare: (_, other, key) => runningPost(other, key),
    run: (client, key) => post(client, key),
    finish: (end) => (end as () => Promise<unknown>)(),
    perNode: 4,
  },
  'once: runs, and records the value': { run: runOnce, perNode: 9 },
  'once: finds the value': {
    prepare: (_, other, key) => runOnce(other, key),
    run: runOnce,
    perNode: 4,
  },
  'once: `forget`': {
    prepare: (_, other, key) => runOnce(other, key),
    run: (client, key) => forget(client, key),
    perNode: 12,
  },
}
