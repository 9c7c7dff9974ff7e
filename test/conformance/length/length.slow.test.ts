import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { type Runtime, type Running, startRuntime } from '../../../tools/servers/runtime.ts'
import { workerd } from '../../../tools/servers/workerd.ts'
import { freshKey, holders, overRest } from '../../support/nodes.ts'
import { contextNames, names } from './app.ts'
import { type Origin, startOrigin } from './origin.ts'
import { realNodes } from '../../support/real-nodes.ts'

// The responses that a client receives over HTTP/1.1 from workerd and Node, with a lock and without.

const behind = overRest(realNodes)
const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const runtimes: readonly Runtime[] = [
  workerd(fileOf('worker.ts')),
  {
    name: 'Node',
    entry: fileOf('node-server.ts'),
    platform: 'node',
    command: async (bundle) => ({ run: [process.execPath, bundle] }),
  },
]

type Received = {
  readonly status: number | undefined
  readonly text: string | undefined
  readonly headers: Record<string, unknown>
  readonly body: string
}

/**
 * The response, less what may differ: a stream that ends at once may get a length, and the server for
 * Node writes another type for a body that it need not read.
 */
const comparable = ({ headers, ...rest }: Received, isNode: boolean): object => {
  const { 'content-length': length, 'transfer-encoding': encoding, ...others } = headers
  const isWhole = length === undefined || Number(length) === rest.body.length
  if (isNode) delete others['content-type']
  return {
    ...rest,
    headers: others,
    hasLength: isWhole || length,
    isStream: encoding !== undefined,
  }
}

const receive = (url: string, method: string, headers: Record<string, string>): Promise<Received> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      const { date: _, connection: __, 'keep-alive': ___, ...rest } = response.headers
      buffer(response).then(
        (body) =>
          resolve({
            status: response.statusCode,
            text: response.statusMessage,
            headers: rest,
            body: body.toString('latin1'),
          }),
        reject,
      )
    })
    sent.on('error', reject).end()
  })

describe.each(runtimes)('on $name, a lock does not change the response:', (runtime) => {
  let running: Running
  beforeAll(async () => {
    running = await startRuntime(runtime, { REDLOCK_NODES: inject('REDLOCK_NODES') })
  })
  afterAll(() => running.stop())

  const isNode = runtime.name === 'Node'
  const get = (route: string, name: string, method: string): Promise<Received> => {
    const headers = name === 'range' ? { range: 'bytes=2-5' } : {}
    return receive(`${running.url}/${route}/${name}`, method, headers)
  }
  // On Node, a length that is wrong breaks the response, with or without a lock.
  const all = [...names, ...contextNames, 'streamed'].filter((name) => !isNode || name !== 'stale')
  const cases = all.flatMap((name) => ['GET', 'HEAD'].map((method) => [name, method] as const))

  it.each(cases)('%s, %s', async (name, method) => {
    const plain = await get('plain', name, method)
    const isFunction = !/hono|streamed/.test(name)
    for (const route of ['locked', 'twice', ...(isFunction ? ['function'] : [])]) {
      const locked = await get(route, name, method)
      const endsAtOnce = name.startsWith('stream') && method === 'GET'
      const expected = { route, ...comparable(plain, isNode) }
      expect({ route, ...comparable(locked, isNode) }).toEqual(
        endsAtOnce ? { ...expected, isStream: expect.any(Boolean) as boolean } : expected,
      )
      if (!endsAtOnce) {
        expect(locked.headers['content-length']).toBe(plain.headers['content-length'])
      }
    }
  })

  describe('whose body comes from another server', () => {
    let origin: Origin
    beforeAll(async () => {
      origin = await startOrigin()
    })
    afterAll(() => origin.close())
    const pathOf = (route: string, name: string, path: string, key = freshKey()): string =>
      `/${route}/${name}?key=${key}&from=${origin.url}${path}`
    const noneLeft = (key: string): Promise<void> =>
      vi.waitFor(
        async () => expect((await holders(behind, `lock:l:${key}`)).filter(Boolean)).toEqual([]),
        10_000,
      )

    // On Node, a changed body has the old length, and a decompressed one the old encoding, with or
    // without a lock: no client can read them.
    const changed = isNode
      ? []
      : ([
          ['rewritten', '/whole'],
          ['rewritten', '/gzip'],
        ] as const)
    it.each([
      ['fetched', '/whole'],
      ['fetched', '/range'],
      ['fetched', '/chunked'],
      ...changed,
    ] as const)('%s from %s', async (name, path) => {
      const plain = await receive(running.url + pathOf('plain', name, path), 'GET', {})
      for (const route of ['locked', 'twice']) {
        const locked = await receive(running.url + pathOf(route, name, path), 'GET', {})
        // A Worker cannot tell how long a stream is: the header of `fetch` may be that of another body.
        const isStream = isNode ? {} : { isStream: expect.any(Boolean) as boolean }
        expect({ route, ...comparable(locked, isNode) }).toEqual({
          route,
          ...comparable(plain, isNode),
          ...isStream,
        })
        const length = plain.headers['content-length']
        expect(isNode ? [length] : [length, undefined]).toContain(locked.headers['content-length'])
      }
    })

    it('cancels a body that nobody reads, since another response was sent', async () => {
      const [key, before] = [freshKey(), origin.aborted()]
      const url = running.url + pathOf('replaced', 'fetched', '/endless', key)
      expect((await receive(url, 'GET', {})).body).toBe('replaced')
      // Makes the runtime collect its garbage, such as the body that was replaced.
      for (let count = 0; count < 30; count++) await get('plain', 'json', 'GET')
      await vi.waitFor(() => expect(origin.aborted()).toBe(before + 1), 10_000)
      await noneLeft(key)
    })

    it('goes on with a body that pauses for longer than the ttl after its first part', async () => {
      const url = running.url + pathOf('paused', 'fetched', '/paused')
      expect((await receive(url, 'GET', {})).body).toBe('.'.repeat(100))
    })

    it('releases the lock where the other server fails, and the client notices', async () => {
      const key = freshKey()
      const url = running.url + pathOf('locked', 'fetched', '/truncated', key)
      await expect(receive(url, 'GET', {})).rejects.toThrow(/aborted|socket hang up|ECONNRESET/)
      await noneLeft(key)
    })

    it('releases the lock and closes its connection when the client disconnects', async () => {
      const key = freshKey()
      const before = origin.aborted()
      const url = running.url + pathOf('locked', 'fetched', '/endless', key)
      await new Promise<void>((resolve, reject) => {
        const sent = request(url, { agent: false }, (response) => {
          response.once('data', () => {
            sent.destroy()
            resolve()
          })
        })
        sent.on('error', reject).end()
      })
      await vi.waitFor(() => expect(origin.aborted()).toBe(before + 1), 10_000)
      await noneLeft(key)
    })
  })
})
