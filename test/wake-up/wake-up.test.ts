import { describe, expect, inject, it } from 'vitest'
import { type Clock, Redlock, type RedlockOptions, type RestNodeOptions } from '../../src/index.ts'
import { withWakeUp } from '../../src/wake-up/index.ts'
import { eventually } from '../support/eventually.ts'
import { command, freshKey } from '../support/nodes.ts'

// Waiters over real Redis servers behind the gateway, which streams.

const nodes = (JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]).slice(0, 3)

type Sent = { readonly url: string; readonly init: RequestInit | undefined }
type Answer = (sent: Sent) => Promise<Response>
type Line = (sent: Sent, send: () => Promise<Response>, node: number) => Promise<Response>

/** The nodes with something between them and the client. */
const over = (line: Line): RestNodeOptions[] =>
  nodes.map((node, index) => ({
    ...node,
    fetch: (url, init) => {
      const send = (): Promise<Response> => fetch(url, init)
      return line({ url: url as string, init }, send, index)
    },
  }))

const isStream = ({ url }: Sent): boolean => url.includes('/subscribe/')

// A waiter that is not woken in these tests waits for a minute.
const never = { minDelay: 60_000, maxDelay: 60_001 }

const client = (options: Partial<RedlockOptions> = {}): Redlock =>
  withWakeUp(new Redlock({ nodes, retry: never, ...options }))

/** Counts streams, and their ends. */
const streams = () => {
  const counts = { opened: 0, ended: 0, requests: 0 }
  const counted = over(async (sent, send) => {
    counts.requests++
    const response = await send()
    if (!isStream(sent)) return response
    counts.opened++
    sent.init?.signal?.addEventListener('abort', () => counts.ended++)
    return response
  })
  return { counts, nodes: counted }
}

// Ms after which a call gives up. A busy machine needs long until the call has been refused and waits.
const giveUp = 2_000

describe('withWakeUp', () => {
  it('wakes a waiter of another client when the lock is released', async () => {
    const key = freshKey()
    const held = await client().acquire(key)
    const { counts, nodes: counted } = streams()
    const waiting = client({ nodes: counted }).acquire(key, { wait: 50_000 })
    await eventually(() => expect(counts.opened).toBe(1))
    await new Promise((resolve) => setTimeout(resolve, 200))
    await held.release()
    const lock = await waiting
    expect(lock.held).toBe(true)
    await lock.release()
    await eventually(() => expect(counts.ended).toBe(1))
  })

  it('hands a lock from one to the next of ten clients, in the order of their calls', async () => {
    const key = freshKey()
    const held = await client().acquire(key)
    const order: number[] = []
    const all = Array.from({ length: 10 }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 60))
      const { nodes: counted } = streams()
      const lock = await client({ nodes: counted }).acquire(key, { wait: 50_000 })
      order.push(index)
      await lock.release()
    })
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    await held.release()
    await Promise.all(all)
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('costs no request more where nobody waits', async () => {
    for (const wrap of [withWakeUp, (one: Redlock) => one]) {
      const { counts, nodes: counted } = streams()
      const redlock = wrap(new Redlock({ nodes: counted }))
      await (await redlock.acquire(freshKey(), { wait: 1_000 })).release()
      expect(counts.requests).toBe(6)
      expect(counts.opened).toBe(0)
    }
  })

  it.each<[string, Answer | 'after']>([
    ['refuses', () => Promise.resolve(new Response('no', { status: 404 }))],
    ['rejects', () => Promise.reject(new TypeError('fetch failed'))],
    ['hangs', () => new Promise(() => {})],
    [
      'is silent',
      () => {
        const headers = { 'content-type': 'text/event-stream' }
        return Promise.resolve(new Response(new ReadableStream(), { headers }))
      },
    ],
    [
      'confirms, and is silent then',
      () => {
        const body = new ReadableStream({
          start: (controller) => {
            controller.enqueue(new TextEncoder().encode('data: subscribe,channel,1\n\n'))
          },
        })
        const headers = { 'content-type': 'text/event-stream' }
        return Promise.resolve(new Response(body, { headers }))
      },
    ],
    [
      'ends at once',
      () => {
        const headers = { 'content-type': 'text/event-stream' }
        return Promise.resolve(new Response('', { headers }))
      },
    ],
    ['is no stream', () => Promise.resolve(Response.json({ result: 'OK' }))],
  ])('waits as without it where the server %s', async (_, answer) => {
    const key = freshKey()
    const held = await client().acquire(key)
    const broken = over((sent, send) => (isStream(sent) ? (answer as Answer)(sent) : send()))
    const polling = { minDelay: 20, maxDelay: 40 }
    const waiting = client({ nodes: broken, retry: polling }).acquire(key, { wait: 50_000 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    await held.release()
    expect(await (await waiting).release()).toBe('released')
  })

  it('leaves nothing open after a call that gives up, throws, or is aborted', async () => {
    const key = freshKey()
    const held = await client().acquire(key)
    const { counts, nodes: counted } = streams()
    const redlock = client({ nodes: counted })
    await expect(redlock.acquire(key, { wait: giveUp })).rejects.toThrow('held by')
    const signal = AbortSignal.timeout(giveUp)
    await expect(redlock.acquire(key, { wait: 50_000, signal })).rejects.toThrow('timeout')
    await eventually(() => expect(counts.ended).toBe(counts.opened))
    expect(counts.opened).toBe(2)
    await held.release()
  })

  it('leaves no timer running once its work in the background has ended', async () => {
    const key = freshKey()
    const held = await client().acquire(key)
    const background: Promise<unknown>[] = []
    let running = 0
    const clock: Clock = {
      wall: () => Date.now(),
      monotonic: () => performance.now(),
      setTimer: (callback, delay) => {
        let isOver = false
        running++
        const end = (): void => {
          if (!isOver) running--
          isOver = true
        }
        const timer = setTimeout(() => {
          end()
          callback()
        }, delay)
        return () => {
          end()
          clearTimeout(timer)
        }
      },
    }
    const { counts, nodes: counted } = streams()
    const waiting = client({ nodes: counted, clock }).acquire(key, {
      wait: giveUp,
      waitUntil: (work) => void background.push(work),
    })
    await expect(waiting).rejects.toThrow('held by')
    while (background.length > 0) await Promise.all(background.splice(0))
    expect(counts.opened).toBe(1)
    expect(running).toBe(0)
    await held.release()
  })

  it.each(['in time', 'after the call'])(
    'closes a stream that opens %s, also where `fetch` passes on no signal',
    async (when) => {
      const key = freshKey()
      const held = await client().acquire(key)
      let isOver = false
      let closed = 0
      const body = new ReadableStream({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode('data: subscribe,channel,1\n\n'))
        },
        cancel: () => void closed++,
      })
      const headers = { 'content-type': 'text/event-stream' }
      const deaf = over(async (sent, send) => {
        if (!isStream(sent)) return send()
        if (when !== 'in time') await eventually(() => expect(isOver).toBe(true))
        return new Response(body, { headers })
      })
      await expect(client({ nodes: deaf }).acquire(key, { wait: giveUp })).rejects.toThrow(
        'held by',
      )
      isOver = true
      await eventually(() => expect(closed).toBe(1))
      await held.release()
    },
  )

  it('passes on a wake-up whose waiter has vanished', async () => {
    const key = freshKey()
    const held = await client().acquire(key)
    let isDead = false
    const dying = over((sent, send) => {
      if (isDead) return new Promise(() => {})
      if (!isStream(sent)) return send()
      return send()
    })
    const dead = new AbortController()
    const vanished = client({ nodes: dying })
      .acquire(key, { wait: 50_000, signal: dead.signal })
      .catch(() => {})
    const { counts, nodes: counted } = streams()
    await new Promise((resolve) => setTimeout(resolve, 300))
    const waiting = client({ nodes: counted }).acquire(key, { wait: 50_000 })
    await eventually(() => expect(counts.opened).toBe(1))
    await new Promise((resolve) => setTimeout(resolve, 300))
    // Its stream closes, and its place in the queue remains.
    isDead = true
    dead.abort()
    await vanished
    await new Promise((resolve) => setTimeout(resolve, 200))
    await held.release()
    expect(await (await waiting).release()).toBe('released')
  })

  it('looks again after a while where a message is lost', async () => {
    const key = freshKey()
    // A client without wake-up wakes nobody.
    const held = await new Redlock({ nodes }).acquire(key)
    const waiting = client({ retry: { minDelay: 20, maxDelay: 40 } }).acquire(key, { wait: 50_000 })
    await new Promise((resolve) => setTimeout(resolve, 500))
    await held.release()
    expect(await (await waiting).release()).toBe('released')
  })

  it('asks about as often as without it where only the first node has lost the lock', async () => {
    const key = freshKey()
    const held = await client().acquire(key, { ttl: 60_000 })
    const [first] = nodes.toSorted((a, b) => (a.url < b.url ? -1 : 1))
    await eventually(async () => {
      const found = (await command(first!, 'KEYS', `*${key}*`)) as string[]
      expect(await command(first!, 'DEL', ...found)).toBe(2)
    })
    const counts: number[] = []
    for (const wrap of [(one: Redlock) => one, withWakeUp]) {
      const { counts: own, nodes: counted } = streams()
      const retry = { minDelay: 100, maxDelay: 101 }
      const waiting = wrap(new Redlock({ nodes: counted, retry })).acquire(key, { wait: 3_000 })
      await expect(waiting).rejects.toThrow('held by')
      counts.push(own.requests)
    }
    // Without a limit on vain wake-ups it asks 28 times as often.
    expect(counts[1]).toBeLessThan(4 * counts[0]!)
    await held.release()
  })

  it('refuses something else than a Redlock', () => {
    expect(() => withWakeUp({} as Redlock)).toThrow('redlock')
  })
})
