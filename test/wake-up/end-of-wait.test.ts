import { expect, it } from 'vitest'
import { Redlock, type RedlockOptions, withWakeUp } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { movableClock } from '../support/movable-clock.ts'
import { freshKey } from '../support/nodes.ts'
import { counting, isStream, longTtl, never, over, untilQueued } from './waiters.ts'
import { realNodes } from '../support/real-nodes.ts'

// A wait that ends without the lock leaves no stream, no timer and no place in the queue behind.

const nodes = realNodes.slice(0, 3)

const client = (options: Partial<RedlockOptions>): Redlock =>
  withWakeUp(new Redlock({ nodes, retry: never, ...options }))

const wait = 50_000

it('leaves nothing open after a call that gives up, or is aborted', async () => {
  const key = freshKey()
  const held = await client({}).acquire(key, { ttl: longTtl })
  const { counts, nodes: counted } = counting(nodes)
  const clock = movableClock()
  const redlock = client({ nodes: counted, advanced: { clock } })
  const giving = redlock.acquire(key, { wait })
  await eventually(() => expect(counts.opened).toBe(1))
  clock.forward(wait)
  await expect(giving).rejects.toThrow('held by')
  const controller = new AbortController()
  const aborted = redlock.acquire(key, { wait, signal: controller.signal })
  await eventually(() => expect(counts.opened).toBe(2))
  controller.abort(new Error('enough'))
  await expect(aborted).rejects.toThrow('enough')
  await eventually(() => expect(counts.ended).toBe(2))
  await untilQueued(nodes, key, 0)
  await held.release()
})

it('leaves no timer running once its work in the background has ended', async () => {
  const key = freshKey()
  const held = await client({}).acquire(key, { ttl: longTtl })
  const background: Promise<unknown>[] = []
  const clock = movableClock()
  const { counts, nodes: counted } = counting(nodes)
  const waiting = client({ nodes: counted, advanced: { clock } }).acquire(key, {
    wait,
    waitUntil: (work) => void background.push(work),
  })
  await untilQueued(nodes, key, 1)
  expect(clock.running()).toBeGreaterThan(0)
  clock.forward(wait)
  await expect(waiting).rejects.toThrow('held by')
  while (background.length > 0) await Promise.all(background.splice(0))
  expect(counts.opened).toBe(1)
  expect(clock.running()).toBe(0)
  await held.release()
})

it.each(['in time', 'after the call'])(
  'closes a stream that opens %s, also where `fetch` passes on no signal',
  async (when) => {
    const key = freshKey()
    const held = await client({}).acquire(key, { ttl: longTtl })
    let [isAsked, isOver, closed] = [false, false, 0]
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('data: subscribe,channel,1\n\n'))
      },
      cancel: () => void closed++,
    })
    const deaf = over(nodes, async (sent, send) => {
      if (!isStream(sent)) return send()
      isAsked = true
      if (when !== 'in time') await eventually(() => expect(isOver).toBe(true))
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    })
    const clock = movableClock()
    const waiting = client({ nodes: deaf, advanced: { clock } }).acquire(key, { wait })
    // It joins the queue once its stream is open.
    if (when === 'in time') await untilQueued(nodes, key, 1)
    else await eventually(() => expect(isAsked).toBe(true))
    clock.forward(wait)
    await expect(waiting).rejects.toThrow('held by')
    isOver = true
    await eventually(() => expect(closed).toBe(1))
    await held.release()
  },
)
