import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseReply, type ReplyTuple, runScript, type ScriptCall } from '../../tools/redis-wire.ts'
import { waitScript } from '../../src/redis/scripts/wait-script.ts'
import { wakingReleaseScript } from '../../src/redis/scripts/waking-release-script.ts'
import type { MemoryEntry } from '../../src/memory/memory-server.ts'
import { type RedisServer, startRedis } from '../../tools/servers/redis.ts'

// The emulator of waiting keeps a queue as JSON, where Redis has a sorted set. For every sequence of
// operations, both must return the same replies, send the same messages, and leave the same waiters in
// the same order.

const sequences = 5_000

const begin = 1_800_000_000_000
const [queue, key] = ['q', 'l']

// The waiters whose streams are open. Nobody hears messages to the others.
const listening: readonly string[] = ['b', 'd']

type Step =
  | { readonly kind: 'join'; readonly id: string; readonly time: number; readonly life: number }
  | { readonly kind: 'joinMany'; readonly time: number; readonly count: number }
  | { readonly kind: 'leave'; readonly id: string }
  | { readonly kind: 'hold'; readonly owner: string }
  | { readonly kind: 'release'; readonly owner: string }

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const owner = fc.constantFrom('value-a', 'value-b worker 7')
// The call of some waiters began in the same millisecond.
const time = fc.constantFrom(0, 1, 1, 7, 1_000).map((after) => begin + after)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('join' as const),
      id,
      time,
      life: fc.constantFrom(60_000, 120_000),
    }),
  },
  // A release looks for a waiter that listens among the first 32.
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('joinMany' as const),
      time,
      count: fc.constantFrom(30, 31, 32, 33),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave' as const), id }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('hold' as const), owner }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('release' as const), owner }) },
)

type WaitCall = { readonly keys: string[]; readonly args: string[] }

const waitCall = (args: string[]): WaitCall => ({ keys: [queue, key], args })

/** The calls of the script of waiting in this step, and that of a release. */
const callsOf = (one: Step): { waits: WaitCall[]; release?: ScriptCall } => {
  if (one.kind === 'join') {
    return { waits: [waitCall(['w', one.id, String(one.time), String(one.life)])] }
  }
  if (one.kind === 'joinMany') {
    const ids = Array.from({ length: one.count }, (_, index) => `many-${index}`)
    return { waits: ids.map((many) => waitCall(['w', many, String(one.time), '60000'])) }
  }
  if (one.kind === 'leave') return { waits: [waitCall(['l', one.id, '0', '1'])] }
  if (one.kind === 'hold') return { waits: [] }
  const keys = [queue, key, `f:${key}`, `x:${one.owner}`]
  const args = ['r', one.owner, '60000', '600000', '0'] as const
  return { waits: [], release: { script: wakingReleaseScript, keys, args } }
}

/** Real time passes while a sequence runs on Redis. */
const rounded = (left: unknown): number => Math.ceil(Number(left) / 5_000) * 5_000

const comparable = (reply: unknown): unknown => {
  const fields = parseReply(reply as ReplyTuple)
  return { ...fields, left: rounded(fields.left) }
}

type Outcome = {
  readonly replies: readonly unknown[]
  readonly messages: readonly string[]
  /** The waiters in order, each followed by its time. */
  readonly waiters: readonly string[]
  readonly life: number
}

const inMemory = (steps: readonly Step[]): Outcome => {
  const entries = new Map<string, MemoryEntry>()
  const messages: string[] = []
  const publish = (channel: string, message: string): number => {
    if (!listening.some((one) => channel === `${queue}:${one}`)) return 0
    messages.push(`${channel} ${message}`)
    return 1
  }
  const server = { entries, now: () => begin, run: () => 'run_id:1', publish }
  const replies = steps.flatMap((one): unknown[] => {
    if (one.kind === 'hold') {
      entries.set(key, { value: one.owner, expiresAt: begin + 30_000 })
      return []
    }
    const { waits, release } = callsOf(one)
    if (release) return [comparable(runScript(server, release.script, release.keys, release.args))]
    return waits.map(({ keys, args }) => runScript(server, waitScript, keys, args))
  })
  const entry = entries.get(queue)
  return {
    replies,
    messages,
    waiters: (JSON.parse(entry?.value ?? '[]') as [number, string][]).flatMap(([at, name]) => [
      name,
      String(at),
    ]),
    life: entry ? rounded(entry.expiresAt - begin) : rounded(-2),
  }
}

describe('waiting on memory nodes and on Redis', () => {
  let server: RedisServer
  let redis: Redis
  let listener: Redis
  let messages: string[] = []
  let turn = 0
  let end = (): void => {}
  beforeAll(async () => {
    server = await startRedis()
    redis = new Redis({ host: '127.0.0.1', port: server.port })
    listener = redis.duplicate()
    listener.on('message', (channel: string, message: string) => {
      if (channel !== 'end') messages.push(`${channel} ${message}`)
      else if (message === String(turn)) end()
    })
    await listener.subscribe('end', ...listening.map((one) => `${queue}:${one}`))
  })
  afterAll(async () => {
    redis.disconnect()
    listener.disconnect()
    await server.stop()
  })

  const onRedis = async (steps: readonly Step[]): Promise<Outcome> => {
    messages = []
    turn++
    // Messages arrive in the order in which they were sent.
    const heardAll = new Promise<void>((resolve) => (end = resolve))
    const pipeline = redis.pipeline().flushall()
    const isRelease: boolean[] = []
    for (const one of steps) {
      if (one.kind === 'hold') {
        pipeline.set(key, one.owner, 'PX', 30_000)
        continue
      }
      const { waits, release } = callsOf(one)
      for (const { keys, args } of waits) {
        pipeline.eval(waitScript.source, keys.length, ...keys, ...args)
        isRelease.push(false)
      }
      if (!release) continue
      const { script, keys, args } = release
      pipeline.eval(script.source, keys.length, ...keys, ...args)
      isRelease.push(true)
    }
    pipeline.publish('end', String(turn))
    const results = (await pipeline.exec())!
    for (const [error] of results) if (error) throw error
    await heardAll
    const replies = results.map(([, reply]) => reply).filter(Array.isArray)
    return {
      replies: replies.map((reply, index) => (isRelease[index] ? comparable(reply) : reply)),
      messages,
      waiters: await redis.zrange(queue, 0, -1, 'WITHSCORES'),
      life: rounded(await redis.pttl(queue)),
    }
  }

  it(`agrees in ${sequences} random sequences of operations`, async () => {
    let [woken, left] = [0, 0]
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 16 }), async (steps) => {
        const emulated = inMemory(steps)
        expect(emulated).toEqual(await onRedis(steps))
        woken += emulated.messages.filter((text) => text.endsWith('wake')).length
        left += emulated.waiters.length
      }),
      { numRuns: sequences },
    )
    expect(woken).toBeGreaterThan(sequences / 20)
    expect(left).toBeGreaterThan(sequences)
  }, 120_000)
})
