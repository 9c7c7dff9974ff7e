import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { problem, toResponse } from '../../src/entries/fetch.ts'
import { lock } from '../../src/entries/hono.ts'
import { NotRecordedError, type NotRecordedReason } from '../../src/entries/idempotency.ts'
import { LockedError, LockLostError, QuorumError, Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// Frameworks read the status of an error that a handler throws; `toResponse` makes a response of it.

const rejected = {
  retryAfter: 1_200,
  nodes: [{ node: 'a', status: 'locked', holder: 'h', metadata: 'of Ann' } as const],
}
const notRecorded = (reason: NotRecordedReason): Error =>
  new NotRecordedError('secret-key', reason, { value: 'secret value' })

const cases: [Error, status: number, retryAfter: string | null][] = [
  [new LockedError(['secret-key'], rejected), 409, '1'],
  [new QuorumError(['secret-key'], rejected), 503, '2'],
  [new LockLostError(['secret-key'], 'id', 'it has expired'), 500, null],
  [notRecorded('unavailable'), 503, '1'],
  [notRecorded('lost'), 503, '1'],
  [notRecorded('unreadable'), 503, '1'],
  [notRecorded('not-kept'), 409, null],
]

describe.each(cases)('%s', (error, status, retryAfter) => {
  it(`has the status ${status}`, () => {
    expect(error).toMatchObject({ status, statusCode: status })
    expect(Object.keys(error)).not.toContain('status')
    expect(JSON.parse(JSON.stringify(error))).not.toHaveProperty('status')
    // As Koa does; it would end the process if that threw.
    const own: { status: number } = error as never
    own.status = status
    expect(own.status).toBe(status)
  })

  it.each([
    ['it', error],
    ['its copy', JSON.parse(JSON.stringify(error)) as unknown],
  ])('%s becomes a response without keys and metadata', async (_, given) => {
    const response = toResponse(given)!
    expect(response.status).toBe(status)
    expect(response.headers.get('retry-after')).toBe(retryAfter)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    const body = await response.text()
    expect(body).not.toMatch(/secret|Ann/)
    expect(JSON.parse(body)).toMatchObject({ status, title: expect.any(String) })
  })
})

it('the headers of an error have `Retry-After`', () => {
  // Most holders end long before their ttl.
  expect(new LockedError(['k'], rejected).headers).toEqual({ 'retry-after': '1' })
  expect(new LockedError(['k'], rejected).retryAfter).toBe(rejected.retryAfter)
  expect(new QuorumError(['k'], rejected).headers).toEqual({ 'retry-after': '2' })
  expect(new QuorumError(['k'], { ...rejected, retryAfter: 0 }).headers).toEqual({
    'retry-after': '1',
  })
})

it.each([new Error('other'), new TypeError('other'), undefined, null, 'text', {}])(
  'toResponse(%o) is undefined',
  (error) => {
    expect(toResponse(error)).toBeUndefined()
  },
)

it('`onRejected` changes a title by `problem`', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  await redlock.acquire('key')
  const app = new Hono()
  const onRejected: Parameters<typeof lock>[0]['onRejected'] = (rejection) =>
    problem({ ...rejection, title: 'Busy' })
  app.get('/', lock({ redlock, key: 'key', onRejected }), (c) => c.text('done'))
  const response = await app.request('/')
  expect(response.status).toBe(409)
  expect(response.headers.get('retry-after')).not.toBeNull()
  const { title, ...others } = (await response.json()) as Record<string, unknown>
  expect(title).toBe('Busy')
  expect(Object.keys(others)).toEqual(['type', 'status', 'detail', 'reason'])
})
