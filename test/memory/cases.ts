import { type Context, Hono } from 'hono'
import { lock } from '../../src/entries/hono.ts'
import { type LockNode, Redlock, restNode, throttle } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// Cases that fill the memory of an isolate, each in a process of its own. They use only the public API.

/** Does the work, and leaves nothing behind that the package does not remember by itself. */
export type MemoryCase = () => Promise<void>

const count = 4_000

const unfinished: Context[] = []

/** Three nodes on which somebody else holds everything for so many ms, and which keep nothing. */
const heldNodes = (scope: string, left: number): LockNode[] =>
  ['a', 'b', 'c'].map((name) => ({
    name,
    scope: `${name} of ${scope}`,
    run: async ({ op }) =>
      op === 'release'
        ? { status: 'absent', counter: 1 }
        : { status: 'locked', ttl: left, holder: 'somebody', counter: 1 },
  }))

/** Finds so many windows closed, each under a key of this length. */
const findClosed = async (sets: number, { length }: { readonly length: number }): Promise<void> => {
  const window = 3_600_000
  for (let set = 0; set < sets; set++) {
    const redlock = new Redlock({ nodes: heldNodes(`set ${set}`, window) })
    for (let index = 0; index < count; index++) {
      await throttle(redlock, `${index}`.padEnd(length, 'k'), { window })
    }
  }
}

export const memoryCases = {
  'windows with long keys': () => findClosed(2, { length: 4_096 }),
  'windows of many sets of nodes': () => findClosed(12, { length: 40 }),
  'sets of nodes with long prefixes': async () => {
    for (let index = 0; index < count; index++) {
      const prefix = `${index}`.padEnd(4_096, 'p')
      void new Redlock({ nodes: heldNodes('one set', 1), prefix })
    }
  },
  'tokens and urls': async () => {
    for (let index = 0; index < count; index++) {
      const url = `https://${index}.example/${'u'.repeat(4_000)}`
      void new Redlock({ nodes: [restNode({ url, token: 't'.repeat(4_000) })] })
    }
  },
  'texts of one long request': () =>
    new Promise<void>((done) => {
      const redlock = new Redlock({ nodes: memoryNodes(3) })
      const app = new Hono().get('/', lock({ redlock, key: 'long' }), async (c) => {
        for (let index = 0; index < count; index++) {
          await c.text(`${index}`.padEnd(1_000, 't')).text()
        }
        unfinished.push(c)
        done()
        // The request has not ended when the memory is measured.
        return new Promise<Response>(() => {})
      })
      void app.request('/')
    }),
  'calls that waited in vain': async () => {
    const redlock = new Redlock({ nodes: heldNodes('for waiters', 3_600_000), localQueue: true })
    for (let turn = 0; turn < 10; turn++) {
      const waits = Array.from({ length: count / 10 }, (_, index) => {
        const key = `${turn} ${index}`.padEnd(4_096, 'w')
        return redlock.acquire(key, { wait: 1 }).catch(() => {})
      })
      await Promise.all(waits)
    }
  },
  'locks that were held': async () => {
    const nodes = ['a', 'b', 'c'].map((name): LockNode => ({
      name,
      scope: `${name} for holders`,
      run: async () => ({ status: 'granted', ttl: 1, counter: 1 }),
    }))
    const redlock = new Redlock({ nodes })
    for (let index = 0; index < count; index++) {
      const lock = await redlock.acquire(`${index}`.padEnd(4_096, 'h'))
      void lock.signal
      await lock.fencingToken()
      await lock.release()
    }
  },
} satisfies Record<string, MemoryCase>

export type MemoryCaseName = keyof typeof memoryCases
