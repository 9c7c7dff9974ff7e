import { Hono } from 'hono'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { lock, throttle as throttled } from '../../src/entries/hono.ts'
import { idempotent, once } from '../../src/entries/idempotency.ts'
import { Redlock, throttle } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { warnOfSeconds } from '../../src/util/validate.ts'

// A time in seconds by mistake is named on the console.

const spy = vi.spyOn(console, 'warn').mockImplementation(() => {})
beforeEach(() => void spy.mockClear())
afterAll(() => spy.mockRestore())

const scoped = [{ scope: 'a/0' }]

type Row = [option: string, warned: number[], silent: number[]]

describe.each<Row>([
  ['ttl', [25, 30, 60, 300, 600, 3_600, 86_400], [1_000, 5_000, 10_000, 60_000, 3_600_000]],
  ['window', [30, 60, 300, 600, 3_600, 7_200, 86_400], [1_000, 5_000, 60_000, 86_400_000]],
  ['wait', [1, 5, 10, 15, 30, 60], [0, 100, 300, 600, 2_000, 5_000, 15_000]],
  ['maxHold', [10, 15, 30, 60, 300, 600, 3_600], [1_000, 10_000, 60_000, 600_000]],
  ['keepFor', [3_600, 7_200, 86_400, 172_800, 604_800], [0, 1_000, 5_000, 60_000, 3_600_000]],
  ['recordTtl', [1_000, 3_600, 86_400, 604_800, 2_592_000], [60_000, 600_000, 86_400_000]],
])('%s', (option, warned, silent) => {
  const textsOf = (given: number, nodes: { scope?: string }[] = scoped): string[] => {
    const texts: string[] = []
    warnOfSeconds({ warn: (_, text) => void texts.push(text), nodes }, { [option]: given })
    return texts
  }

  it.each(warned)('%d is named', (given) => {
    const text = `\`${option}\` is ${given} milliseconds: write ${given}_000 for seconds`
    expect(textsOf(given)).toEqual([text])
  })

  it.each(silent)('%d is not', (given) => {
    expect(textsOf(given)).toEqual([])
  })

  it('is not with nodes in memory', () => {
    expect(textsOf(warned[0]!, [{}])).toEqual([])
  })
})

it('is shown once, by each kind of call', async () => {
  const nodes = memoryNodes(3).map((node) => Object.assign(node, { scope: node.name }))
  const redlock = new Redlock({ nodes })
  const shown = async (call: () => unknown): Promise<string[]> => {
    spy.mockClear()
    await call()
    return spy.mock.calls.map(([text]) => /`(\w+)`/.exec(String(text))![1]!)
  }
  const acquire = async (): Promise<unknown> => (await redlock.acquire('a', { wait: 30 })).release()
  expect(await shown(acquire)).toEqual(['wait'])
  expect(await shown(acquire)).toEqual([])
  expect(await shown(() => redlock.using('b', { maxHold: 600 }, () => {}))).toEqual(['maxHold'])
  expect(await shown(() => throttle(redlock, 'c', { window: 60 }))).toEqual(['window'])
  expect(await shown(() => once(redlock, 'd', { keepFor: 3_600 }, () => 1))).toEqual(['keepFor'])
  const app = new Hono()
  const scope = (): string => 'user'
  app.post('/orders', idempotent({ redlock, scope, recordTtl: 3_600 }), (c) => c.text('done'))
  app.post('/throttle', throttled({ redlock, key: 'f', window: 60 }), (c) => c.text('done'))
  app.post('/lock', lock({ redlock, key: 'e', ttl: 300 }), (c) => c.text('done'))
  const headers = { 'idempotency-key': 'key-of-a-request' }
  const post = (path: string) => async (): Promise<string> =>
    (await app.request(path, { method: 'POST', headers })).text()
  expect(await shown(post('/orders'))).toEqual(['recordTtl'])
  expect(await shown(post('/throttle'))).toEqual([])
  expect(await shown(post('/lock'))).toEqual(['ttl'])
})
