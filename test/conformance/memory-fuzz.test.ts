import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RedisServer, startRedis } from '../../dev/redis.ts'
import type { Operation, ScriptCall } from '../../src/index.ts'
import { lockScript } from '../../src/scripts.ts'
import { memoryNode } from '../../src/testing/index.ts'

// The memory node is a second implementation of the script. Whatever sequence of steps both get,
// they must answer the same and end up with the same keys.

const sequences = 10_000

type Step =
  | {
      readonly kind: 'run'
      readonly operation: Operation
      readonly keys: string[]
      readonly value: string
      readonly time: number
      readonly step: '1' | '2'
    }
  | { readonly kind: 'advance'; readonly time: number }
  | { readonly kind: 'lose'; readonly key: string }
  | { readonly kind: 'set'; readonly key: string; readonly value: string }

const value = fc.constantFrom(
  'value-a',
  'value-b worker 7',
  'c',
  'c 2 ',
  'value-b',
  'значение',
  'ascii-€uro {"of":1}',
)
const key = fc.constantFrom('l:1', 'l:2', 'l:3')

// Times to live end in 5 s and time passes in steps of 10 s, so that no key is ever asked for at the
// very moment at which it expires, which no two machines would agree about.
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      operation: fc.constantFrom<Operation>('a', 'a', 'a', 'e', 'e', 'i', 'r'),
      keys: fc.uniqueArray(key, { minLength: 1, maxLength: 3 }),
      value,
      time: fc.constantFrom(5_000, 15_000, 25_000, 3_605_000),
      step: fc.constantFrom('1' as const, '2' as const, '2' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      time: fc.constantFrom(10_000, 20_000, 3_600_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('lose' as const),
      key: fc.constantFrom('l:1', 'l:2', 'l:3', 'm:l:1', 'm:l:2'),
    }),
  },
  // By another's hand, as a lock key may be.
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      key,
      value: fc.constantFrom(' ', ' a b', 'a b', ''),
    }),
  },
)

const callOf = ({
  operation,
  keys,
  value,
  time,
  ...one
}: Extract<Step, { kind: 'run' }>): ScriptCall => {
  // Without marks there is nothing to extend by.
  const step = operation === 'e' ? '2' : one.step
  const names = keys.flatMap((key) => (step === '2' ? [key, `m:${key}`] : [key]))
  // The tombstone belongs to the secret, without the metadata.
  const stone = `x:${value.split(' ')[0]}`
  return {
    script: lockScript,
    keys: [...names, stone],
    args: [operation, value, String(time), step],
  }
}

/** Lets time pass on Redis, whose clock cannot be turned: every key comes so much nearer its end. */
const advance = `for _,key in ipairs(redis.call('KEYS','*'))do
local left=redis.call('PTTL',key)-tonumber(ARGV[1])
if left<=0 then redis.call('DEL',key)else redis.call('PEXPIRE',key,left)end
end`

/** Real time passes too while a sequence runs: round up what is left to what it was meant to be. */
const rounded = (left: unknown): number => Math.ceil(Number(left) / 5_000) * 5_000

const comparable = (reply: unknown): unknown[] => {
  const [id, code, left, holder] = reply as unknown[]
  return left === undefined ? [id, code] : [id, code, rounded(left), holder]
}

describe('memory nodes and Redis', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await startRedis()
    redis = new Redis({ host: '127.0.0.1', port: server.port })
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })

  const onRedis = async (
    steps: readonly Step[],
  ): Promise<{ replies: unknown[]; keys: unknown }> => {
    const pipeline = redis.pipeline().flushall()
    for (const one of steps) {
      if (one.kind === 'advance') pipeline.eval(advance, 0, one.time)
      else if (one.kind === 'lose') pipeline.del(one.key)
      else if (one.kind === 'set') pipeline.set(one.key, one.value, 'PX', 15_000)
      else {
        const { keys, args } = callOf(one)
        pipeline.eval(lockScript.source, keys.length, ...keys, ...args)
      }
    }
    const results = (await pipeline.exec())!.slice(1)
    for (const [error] of results) if (error) throw error
    const replies = results.flatMap(([, reply], index) =>
      steps[index]!.kind === 'run' ? [comparable(reply)] : [],
    )
    const names = (await redis.keys('*')).sort()
    const keys = await Promise.all(
      names.map(async (name) => [name, await redis.get(name), rounded(await redis.pttl(name))]),
    )
    return { replies, keys }
  }

  const inMemory = async (
    steps: readonly Step[],
  ): Promise<{ replies: unknown[]; keys: unknown }> => {
    let now = 0
    const node = memoryNode({ now: () => now })
    const replies: unknown[] = []
    for (const one of steps) {
      if (one.kind === 'advance') now += one.time
      else if (one.kind === 'lose') node.entries.delete(one.key)
      else if (one.kind === 'set') {
        node.entries.set(one.key, { value: one.value, expiresAt: now + 15_000 })
      } else {
        replies.push(comparable(await node.run(callOf(one), new AbortController().signal)))
      }
    }
    const keys = [...node.entries]
      .filter(([, { expiresAt }]) => now <= expiresAt)
      .map(([name, entry]) => [name, entry.value, rounded(entry.expiresAt - now)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
    return { replies, keys }
  }

  it(`agree in ${sequences} random sequences of steps, expiry included`, async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        expect(await inMemory(steps)).toEqual(await onRedis(steps))
        compared++
      }),
      { numRuns: sequences },
    )
    expect(compared).toBe(sequences)
  }, 120_000)
})
