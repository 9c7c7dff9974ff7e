import { describe, expect, test, vi } from 'vitest'
import { backends } from './backends.ts'
import { useGateway } from './support.ts'

// On a busy machine real servers and streams take their time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

// The text of the response is compared, since JSON.parse would round what it should prove.
describe.each(Object.entries(backends))('integers above 2^53 over %s', (_name, connect) => {
  const use = useGateway({}, connect)

  const textOf = async (path: string, body: unknown, headers = {}): Promise<string> => {
    const init = { method: 'POST', body: JSON.stringify(body), headers }
    return (await use.server.request(path, init)).text()
  }

  test('have all their digits, up to the largest and the smallest', async () => {
    await textOf('/', ['SET', 'n', '9007199254740992'])
    expect(await textOf('/', ['INCR', 'n'])).toBe('{"result":9007199254740993}')
    expect(await textOf('/', ['GET', 'n'])).toBe('{"result":"9007199254740993"}')
    await textOf('/', ['SET', 'n', '9223372036854775806'])
    expect(await textOf('/', ['INCR', 'n'])).toBe('{"result":9223372036854775807}')
    await textOf('/', ['SET', 'n', '-9223372036854775807'])
    expect(await textOf('/', ['DECR', 'n'])).toBe('{"result":-9223372036854775808}')
  })

  test('have all their digits in arrays, pipelines and transactions, also with base64', async () => {
    const script = "return {redis.call('INCR', KEYS[1]), {redis.call('INCR', KEYS[1]), 'a'}}"
    for (const [headers, a] of [
      [{}, '"a"'],
      [{ 'upstash-encoding': 'base64' }, '"YQ=="'],
    ] as const) {
      await textOf('/', ['SET', 'n', '9007199254740992'])
      expect(await textOf('/pipeline', [['INCR', 'n']], headers)).toBe(
        '[{"result":9007199254740993}]',
      )
      expect(await textOf('/multi-exec', [['INCR', 'n']], headers)).toBe(
        '[{"result":9007199254740994}]',
      )
      // Lua numbers are doubles, so that a script cannot return an odd integer of this size.
      await textOf('/', ['SET', 'n', '41'])
      expect(await textOf('/', ['EVAL', script, 1, 'n'], headers)).toBe(`{"result":[42,[43,${a}]]}`)
    }
  })
})
