import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type LockNode, Redlock, type RedlockOptions } from '../../src/index.ts'
import { type MemoryNode, memoryNodes } from '../../src/testing/index.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { appWith } from '../idempotency/app.ts'
import { freshKey } from '../support/nodes.ts'

// A call that waits spreads its requests over its wait: their number grows like the logarithm of the wait.

// What hashes the payload of a request answers in real time.
beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }),
)
afterEach(() => void vi.useRealTimers())

/** Nodes 20 ms away, and the times of the requests to them, in ms. */
const watched = (servers: readonly MemoryNode[]): { nodes: LockNode[]; asked: number[] } => {
  const asked: number[] = []
  const begun = Date.now()
  const nodes = servers.map((server) =>
    nodeThrough(server, async (_, send) => {
      asked.push(Date.now() - begun)
      await new Promise((resolve) => setTimeout(resolve, 20))
      return send()
    }),
  )
  return { nodes, asked }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Lets time pass until a promise has settled. */
const settled = async <T>(promise: Promise<T>): Promise<T> => {
  const state = { isOver: false }
  const end = (): void => void (state.isOver = true)
  promise.then(end, end)
  for (let steps = 0; !state.isOver && steps < 20_000; steps++) {
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(10)
  }
  return promise
}

/** The requests of a duplicate that waits for a handler, and its response. */
const duplicate = async (
  handlerTime: number,
  longest: number,
  options: Partial<RedlockOptions> = {},
  count = 3,
) => {
  const servers = memoryNodes(count)
  const first = appWith(new Redlock({ nodes: watched(servers).nodes }), async (c) => {
    await wait(handlerTime)
    return c.text('done', 201)
  })
  const { nodes, asked } = watched(servers)
  const redlock = new Redlock({ nodes, ...options })
  const second = appWith(redlock, (c) => c.text('again'), { wait: longest })
  const key = freshKey()
  const begun = Date.now()
  const answer = async (): Promise<Response & { after?: number }> => {
    await wait(50)
    const response = await second.post(key)
    return Object.assign(response, { after: Date.now() - begun })
  }
  const answering = Promise.all([first.post(key), answer()])
  const [, response] = await settled(answering)
  return { asked, response, runs: second.runs() }
}

const rounds = Array.from({ length: 20 }, (_, index) => index)

describe('a duplicate', () => {
  it.each(rounds)('that waits 5 s sends fewer than 30 requests (%i)', async () => {
    const { asked, response, runs } = await duplicate(4_500, 5_000)
    expect([response.status, runs]).toEqual([201, 0])
    expect(asked.length).toBeLessThan(30)
  })
})
