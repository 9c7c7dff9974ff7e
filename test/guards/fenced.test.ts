import type { AddressInfo } from 'node:net'
import type { FencedOptions } from '../../src/guards/fenced.ts'
import { serve, type ServerType } from '@hono/node-server'
import { Hono } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fenced, fenceHeaders, memoryGuard, StaleTokenError } from '../../src/entries/guards.ts'
import { Redlock } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'

let server: ServerType | undefined
afterEach(() => void server?.close())

/** A service that stores reports, each with the fencing token that wrote it. */
const startService = async (
  options?: FencedOptions,
  write: (token: number) => Promise<void> = async () => {},
): Promise<{
  put: (headers: HeadersInit, text?: string) => Promise<Response>
  texts: string[]
}> => {
  const texts: string[] = []
  const app = new Hono()
  app.put('/report', fenced(options), async (c) => {
    await write(c.var.fence)
    texts.push(`${c.var.fence} ${await c.req.text()}`)
    return c.body(null, 204)
  })
  app.onError((_, c) => c.text('broken', 500))
  await new Promise<void>((resolve) => {
    server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve())
  })
  const { port } = server!.address() as AddressInfo
  const put = (headers: HeadersInit, body = 'text'): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/report`, { method: 'PUT', headers, body })
  return { put, texts }
}
const statusAndProblem = async (response: Response): Promise<unknown[]> => [
  response.status,
  response.headers.get('content-type'),
  ((await response.json()) as { status: number }).status,
]
const json = 'application/problem+json'

describe('fenced', () => {
  it('passes the token to the handler, and responds 428 or 400 to a missing or invalid one', async () => {
    const { put, texts } = await startService()
    expect((await put(fenceHeaders(7), 'one')).status).toBe(204)
    expect(await statusAndProblem(await put({}))).toEqual([428, json, 428])
    for (const token of [
      '',
      'x',
      '-1',
      '1.5',
      '7, 8',
      '1e3',
      '9007199254740993',
      '00000000000000001',
    ]) {
      expect(await statusAndProblem(await put({ 'fencing-token': token }))).toEqual([
        400,
        json,
        400,
      ])
    }
    expect(texts).toEqual(['7 one'])
  })

  it('checks the token with its guard before the handler runs', async () => {
    const { put, texts } = await startService({ guard: memoryGuard(), resource: (c) => c.req.path })
    expect((await put(fenceHeaders(7), 'one')).status).toBe(204)
    expect((await put(fenceHeaders(9), 'two')).status).toBe(204)
    expect(await statusAndProblem(await put(fenceHeaders(8), 'stale'))).toEqual([412, json, 412])
    expect((await put(fenceHeaders(9), 'two again')).status).toBe(204)
    expect(texts).toEqual(['7 one', '9 two', '9 two again'])
  })

  it('responds 412 when the handler throws a StaleTokenError', async () => {
    const { put, texts } = await startService(undefined, async (token) => {
      if (token < 9) throw new StaleTokenError('report', token, 9)
    })
    expect(await statusAndProblem(await put(fenceHeaders(8)))).toEqual([412, json, 412])
    expect((await put(fenceHeaders(9))).status).toBe(204)
    expect(texts).toEqual(['9 text'])
  })

  it('fails closed when its guard fails', async () => {
    const guard = { advance: () => Promise.reject(new Error('down')) }
    const { put, texts } = await startService({ guard, resource: 'report' })
    expect((await put(fenceHeaders(7))).status).toBe(500)
    expect(texts).toEqual([])
  })

  it('rejects the write of a holder that was paused while its lock expired', async () => {
    const redlock = new Redlock({ nodes: realNodes })
    const key = freshKey()
    const { put, texts } = await startService({ guard: memoryGuard(), resource: 'report' })
    const paused = await redlock.acquire(key, { ttl: 1000 })
    const token = await paused.fencingToken()
    // The holder is paused. Its lock expires, and another holder acquires it and writes.
    const next = await redlock.acquire(key, { wait: 20_000 })
    expect((await put(fenceHeaders(await next.fencingToken()), 'by the next')).status).toBe(204)
    await next.release()
    await vi.waitFor(() => expect(paused.held).toBe(false), 20_000)
    // The first holder continues with its old token.
    expect((await put(fenceHeaders(token), 'by the one that slept')).status).toBe(412)
    expect(texts.map((text) => text.replace(/^\d+ /, ''))).toEqual(['by the next'])
  })
})
