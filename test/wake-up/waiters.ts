import { expect } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { command } from '../support/nodes.ts'

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
