import { expect } from 'vitest'
import type { Redlock, RestNodeOptions } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { command, freshKey } from '../support/nodes.ts'

/** Options of `retry` for a call that is woken or waits for a minute. */
export const never = { delay: 60_000, maxDelay: 60_001 }

/** Ms for which a lock lives that a test holds while others wait. */
export const longTtl = 120_000

/** The node that carries the messages. */
export const firstOf = (nodes: readonly RestNodeOptions[]): RestNodeOptions =>
  nodes.toSorted((a, b) => (a.url < b.url ? -1 : 1))[0]!

/** Waits until this many waiters for a key are in the queue of the first node. */
export const untilQueued = (
  nodes: readonly RestNodeOptions[],
  key: string,
  count: number,
): Promise<void> =>
  eventually(async () => {
    expect(await command(firstOf(nodes), 'ZCARD', `lock:q:lock:l:${key}`)).toBe(count)
  })

/** Waits until this many streams of waiters for a key are open on the first node. */
export const untilListening = (
  nodes: readonly RestNodeOptions[],
  key: string,
  count: number,
): Promise<void> =>
  eventually(async () => {
    const channels = `lock:q:lock:l:${key}:*`
    expect(await command(firstOf(nodes), 'PUBSUB', 'CHANNELS', channels)).toHaveLength(count)
  })

export type Sent = { readonly url: string; readonly init: RequestInit | undefined }
type Line = (sent: Sent, send: () => Promise<Response>) => Promise<Response>

/** The nodes with something between them and the client. */
export const over = (nodes: readonly RestNodeOptions[], line: Line): RestNodeOptions[] =>
  nodes.map((node) => ({
    ...node,
    fetch: (url, init) => line({ url: url as string, init }, () => fetch(url, init)),
  }))

export const isStream = ({ url }: Sent): boolean => url.includes('/subscribe/')

/** The nodes, with counts of requests, of streams, and of their ends. */
export const counting = (nodes: readonly RestNodeOptions[]) => {
  const counts = { opened: 0, ended: 0, requests: 0 }
  const counted = over(nodes, async (sent, send) => {
    counts.requests++
    const response = await send()
    if (!isStream(sent)) return response
    counts.opened++
    sent.init?.signal?.addEventListener('abort', () => counts.ended++)
    return response
  })
  return { counts, nodes: counted }
}

/** Three clients wait for a lock that is released. @returns when each began and ended to hold it. */
export const takeTurns = async (
  client: () => Redlock,
  untilQueued: (key: string, count: number) => Promise<void>,
): Promise<string[]> => {
  const key = freshKey()
  const held = await client().acquire(key, { ttl: longTtl })
  const steps: string[] = []
  const take = async (): Promise<void> => {
    const lock = await client().acquire(key, { wait: 50_000 })
    steps.push('begins')
    await lock.extend()
    steps.push('ends')
    await lock.release()
  }
  const waiting: Promise<void>[] = []
  for (let turn = 0; turn < 3; turn++) {
    waiting.push(take())
    await untilQueued(key, turn + 1)
  }
  const begun = Date.now()
  await held.release()
  await Promise.all(waiting)
  // The next try would have come after a minute.
  expect(Date.now() - begun).toBeLessThan(30_000)
  return steps
}

/** One after the other. */
export const inTurn = [1, 2, 3].flatMap(() => ['begins', 'ends'])
