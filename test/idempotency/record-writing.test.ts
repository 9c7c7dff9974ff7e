import { expect, it } from 'vitest'
import { once } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { sleep } from '../../tools/faults.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { appWith } from '../idempotency/app.ts'

// For a while requests with a record fail, which are larger than others (a proxy's limit, lost large packets), while
// all others arrive. The claim has less than a ttl left, so it has to be extended until its record gets through.

const ttl = 3_000

/** Nodes that reject records until they are opened. */
const nodesWithoutRecords = () => {
  let isFull = true
  const nodes = memoryNodes(3).map((node) =>
    nodeThrough(node, (call, send) =>
      call.operation === 'c' && isFull ? Promise.reject(new Error('body too large')) : send(),
    ),
  )
  return { nodes, open: () => void (isFull = false) }
}

it('runs a request once, although its record is written late, but within the ttl', async () => {
  const { nodes, open } = nodesWithoutRecords()
  const options = { ttl, wait: 20_000 }
  // Shortly before the first extension.
  const first = appWith(
    new Redlock({ nodes }),
    async (c) => {
      await sleep(ttl * 0.3)
      setTimeout(open, ttl * 0.85)
      return c.text('first', 201)
    },
    options,
  )
  const second = appWith(
    new Redlock({ nodes }),
    async (c) => {
      await sleep(ttl * 0.3)
      return c.text('second', 201)
    },
    options,
  )
  const one = first.post('k')
  await sleep(100)
  expect(first.runs()).toBe(1)
  const two = second.post('k')
  const answers = await Promise.all([one, two])
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  expect([texts, first.runs() + second.runs()]).toEqual([['first', 'first'], 1])
})

it('runs `once` once, although its value is written late, but within the ttl', async () => {
  const { nodes, open } = nodesWithoutRecords()
  let runs = 0
  const call = () =>
    once(new Redlock({ nodes }), 'k', { keepFor: 60_000, ttl, wait: 20_000 }, async () => {
      const run = ++runs
      await sleep(ttl * 0.3)
      if (run === 1) setTimeout(open, ttl * 0.85)
      return run
    })
  const first = call()
  await sleep(100)
  const second = call()
  const values = await Promise.allSettled([first, second])
  expect([values.map((one) => one.status === 'fulfilled' && one.value), runs]).toEqual([[1, 1], 1])
})
