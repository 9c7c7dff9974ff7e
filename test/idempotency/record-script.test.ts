import { Redis } from 'ioredis'
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { lockScript } from '../../src/redis/scripts/lock-script.ts'
import { recordScript } from '../../src/redis/scripts/record-script.ts'

// The rules of record.lua on a real Redis, one by one. Its header states them.

const redis = new Redis({ port: inject('REDIS_PORTS')[0]! })
afterAll(() => redis.disconnect())

let key = ''
beforeEach(() => (key = `rule-${crypto.randomUUID()}`))

const run = async (
  script: string,
  args: readonly [operation: string, value: string, ttl: number, min: number, ...record: string[]],
): Promise<{ status: string; holder: string; counter: number }> => {
  const [operation, value, ttl, min, ...record] = args
  const keys = [key, `f:${key}`, `x:${key}:${value}`]
  const owner = `${value} c f`
  const words = [operation, owner, ttl, 600_000, min, ...record]
  const reply = (await redis.eval(script, 3, ...keys, ...words)) as unknown[]
  return { status: String(reply[1]), holder: String(reply[3]), counter: Number(reply[4]) }
}
const acquire = (value: string) => run(lockScript.source, ['a', value, 60_000, Date.now()])
const release = (value: string) => run(lockScript.source, ['r', value, 60_000, 0])
const prepare = (value: string, min: number = 0) =>
  run(recordScript.source, ['a', value, 60_000, min, ''])
const record = (value: string, token: number, text: string): string =>
  `${value} d ${token} f ${text}`
const complete = (value: string, token: number, text: string, guard: number = token) =>
  run(recordScript.source, ['c', value, 60_000, guard, record(value, token, text)])

describe('the record script', () => {
  it('puts a record in the place of the claim, and no claim is granted over it', async () => {
    const { counter } = await acquire('claim001')
    expect(await complete('claim001', counter, 'one')).toMatchObject({ status: 'granted' })
    const rejected = await acquire('claim002')
    expect(rejected).toMatchObject({
      status: 'locked',
      holder: `h${record('claim001', counter, 'one')}`,
    })
    // The late extend and release of its own claim change nothing.
    await run(lockScript.source, ['e', 'claim001', 60_000, 0])
    await release('claim001')
    expect(await redis.get(key)).toBe(record('claim001', counter, 'one'))
  })

  it('accepts the same record again', async () => {
    const { counter } = await acquire('claim001')
    await complete('claim001', counter, 'one')
    expect(await complete('claim001', counter, 'one')).toMatchObject({ status: 'granted' })
  })

  it('rejects a token below the counter: a later claim has been here', async () => {
    const { counter } = await acquire('claim001')
    await redis.del(key)
    await acquire('claim002')
    await release('claim002')
    expect(await complete('claim001', counter, 'late')).toMatchObject({ status: 'absent' })
    expect(await redis.get(key)).toBeNull()
  })

  it('rejects a record while another holds the claim, whatever its token', async () => {
    await acquire('claim002')
    expect(await complete('claim001', 2 ** 50, 'late')).toMatchObject({ status: 'locked' })
  })

  it('rejects a record after the release of its claim', async () => {
    const { counter } = await acquire('claim001')
    await release('claim001')
    expect(await complete('claim001', counter, 'late')).toMatchObject({ status: 'absent' })
    expect(await prepare('claim001')).toMatchObject({ status: 'absent' })
  })

  it('rejects a record where it has forgotten what it promised', async () => {
    const { counter } = await acquire('claim001')
    await redis.del(key, `f:${key}`)
    expect(await complete('claim001', counter, 'one')).toMatchObject({ status: 'absent' })
  })

  it('promises over a record: it tells the record, and accepts no lower token from then on', async () => {
    const { counter } = await acquire('claim001')
    await complete('claim001', counter, 'one')
    const promise = await prepare('claim002', Date.now() + 1000)
    expect(promise).toMatchObject({
      status: 'locked',
      holder: `h${record('claim001', counter, 'one')}`,
    })
    expect(promise.counter).toBeGreaterThan(counter)
    const between = await complete('claim003', counter + 1, 'stale')
    expect(between.status).not.toBe('granted')
    const own = await complete('claim002', promise.counter, 'two')
    expect(own).toMatchObject({ status: 'granted' })
    expect(await redis.get(key)).toBe(record('claim002', promise.counter, 'two'))
  })

  it('promises above a record whose fence has expired', async () => {
    const token = Date.now() + 1_000_000
    await redis.set(key, record('claim001', token, 'one'), 'PX', 60_000)
    expect((await prepare('claim002')).counter).toBeGreaterThan(token)
  })

  it('keeps the record with the higher token, and tells it', async () => {
    const { counter } = await acquire('claim001')
    await complete('claim001', counter, 'one')
    const lower = await complete('claim002', counter - 1, 'lower', 2 ** 50)
    expect(lower).toMatchObject({
      status: 'locked',
      holder: `h${record('claim001', counter, 'one')}`,
    })
    expect(await redis.get(key)).toBe(record('claim001', counter, 'one'))
  })
})
