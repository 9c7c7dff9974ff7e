import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import page from '../../docs/guides/durable-objects.md?raw'
import { durableObjectNodes, type RedlockNamespace } from '../../src/entries/durable-object.ts'
import { once } from '../../src/entries/idempotency.ts'
import { type Lock, Redlock, throttle } from '../../src/index.ts'
import { objectOf, type Used } from '../durable-object/objects.ts'
import { freshKey } from '../support/nodes.ts'

// Counts what each step costs the objects, and compares the table of the page.

const namespace = env.REDLOCK as RedlockNamespace

/** USD for a million requests, and for a million rows that are written. */
const [perRequest, perRow] = [0.15, 1]
const window = 60_000

type Step = {
  readonly prepare?: (redlock: Redlock, key: string) => Promise<unknown>
  readonly run: (redlock: Redlock, key: string, prepared: unknown) => Promise<unknown>
}

const runOnce = (redlock: Redlock, key: string): Promise<string> =>
  once(redlock, key, { keepFor: window }, async () => 'value')

const steps: Readonly<Record<string, Step>> = {
  'lock: acquired and released': {
    run: async (redlock, key) => (await redlock.acquire(key, { ttl: window })).release(),
  },
  'lock: extended once': {
    prepare: (redlock, key) => redlock.acquire(key, { ttl: window }),
    run: (_redlock, _key, lock) => (lock as Lock).extend(),
  },
  'lock: rejected': {
    prepare: (redlock, key) => redlock.acquire(key, { ttl: window }),
    run: (redlock, key) => redlock.tryAcquire(key),
  },
  'throttle: passes': { run: (redlock, key) => throttle(redlock, key, { window }) },
  'once: runs, and records the value': { run: runOnce },
}

const sum = (counts: readonly Used[]): Used => ({
  requests: counts.reduce((total, { requests }) => total + requests, 0),
  written: counts.reduce((total, { written }) => total + written, 0),
})

const measure = async ({ prepare, run }: Step, count: number) => {
  const nodes = durableObjectNodes(namespace, { count, name: freshKey() })
  const objects = nodes.map((node) => objectOf(namespace, node))
  const redlock = new Redlock({ nodes })
  const used = async (): Promise<Used> =>
    sum(await Promise.all(objects.map((object) => object.used())))
  const rows = async (): Promise<number> =>
    (await Promise.all(objects.map((object) => object.rows()))).flat().length
  /** Waits until releases in the background have ended. */
  const settled = async (): Promise<Used> => {
    for (let last = await used(); ;) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      const now = await used()
      if (now.requests === last.requests) return now
      last = now
    }
  }
  // The first call writes the identity of each object.
  await (await redlock.acquire(freshKey())).release()
  const key = freshKey()
  const prepared = await prepare?.(redlock, key)
  const [before, rowsBefore] = [await settled(), await rows()]
  await run(redlock, key, prepared)
  const after = await settled()
  const requests = after.requests - before.requests
  const written = after.written - before.written
  // The other rows expire, and the sweep deletes them.
  const swept = (await rows()) - rowsBefore
  const dollars = requests * perRequest + (written + swept) * perRow
  return [requests, written + swept, `$${dollars.toFixed(2)}`]
}

/** Measures until it is the same twice: on a busy machine, a late object may be asked again. */
const cost = async (step: Step, count: number) => {
  let [last, now] = [await measure(step, count), await measure(step, count)]
  while (last.join() !== now.join()) [last, now] = [now, await measure(step, count)]
  return now
}

it.for(Object.entries(steps))('the page has the costs of %s', async ([name, step]) => {
  const row = `| ${[name, ...(await cost(step, 3)), (await cost(step, 1)).at(-1)].join(' | ')} |`
  expect(page.split('\n').find((line) => line.startsWith(`| ${name} |`))).toBe(row)
})

it('has no other rows', () => {
  const rows = page.split('\n').filter((line) => /^\| (?:lock|throttle|once): /.test(line))
  expect(rows).toHaveLength(Object.keys(steps).length)
})
