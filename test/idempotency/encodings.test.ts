import { expect, it, onTestFinished, vi } from 'vitest'
import { withIdempotency } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

/** Answers requests with one key by a function, and counts its runs. */
const answerOnce = (respond: () => Promise<Response>) => {
  let runs = 0
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const handle = withIdempotency({ redlock, scope: () => 'user' }, () => {
    runs++
    return respond()
  })
  const post = (body: string = '', type: string = 'text/plain'): Promise<Response> => {
    const headers = { 'idempotency-key': 'a', 'content-type': type }
    return handle(new Request('http://localhost/', { method: 'POST', headers, body }), {}, {})
  }
  return { post, runs: () => runs }
}

const compressed = async (format: CompressionFormat): Promise<Uint8Array<ArrayBuffer>> => {
  const stream = new Blob(['plain']).stream().pipeThrough(new CompressionStream(format))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

it.each(['gzip', 'deflate'] as const)('replays the plain body of %s, with vary', async (format) => {
  const headers = { 'content-encoding': format, vary: 'accept-encoding' }
  const body = await compressed(format)
  const { post } = answerOnce(async () => new Response(body, { headers }))
  const first = await post()
  expect(first.headers.get('content-encoding')).toBe(format)
  expect(new Uint8Array(await first.arrayBuffer())).toEqual(body)
  const replay = await post()
  expect(replay.headers.get('content-encoding')).toBeNull()
  expect(replay.headers.get('vary')).toBe('accept-encoding')
  expect(await replay.text()).toBe('plain')
})

it('takes a body that `fetch` has decoded as it is', async () => {
  const headers = { 'content-encoding': 'gzip', 'content-length': '25' }
  const { post, runs } = answerOnce(async () => new Response('plain', { headers }))
  await post()
  expect(await (await post()).text()).toBe('plain')
  expect(runs()).toBe(1)
})

it('keeps no body that it cannot decode, and says so', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const headers = { 'content-encoding': 'unknown' }
  const { post, runs } = answerOnce(async () => new Response('?', { headers }))
  expect(await (await post()).text()).toBe('?')
  expect((await post()).status).toBe(409)
  expect(runs()).toBe(1)
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('cannot be decoded'))
})

it('does not record a body that is shorter than its length', async () => {
  const headers = { 'content-length': '10' }
  const { post, runs } = answerOnce(async () => new Response('half', { headers }))
  expect(await (await post()).text()).toBe('half')
  await post()
  expect(runs()).toBe(2)
})

it('compares forms in a url by their fields, and those of another charset by their bytes', async () => {
  const type = 'application/x-www-form-urlencoded'
  const { post } = answerOnce(async () => new Response('done'))
  await post('name=a%20b&x=~', type)
  expect((await post('name=a+b&x=%7E', type)).status).toBe(200)
  expect((await post('name=a+c&x=%7E', type)).status).toBe(422)
  const latin = answerOnce(async () => new Response('done'))
  await latin.post('name=%E4', type)
  expect((await latin.post('name=%F6', type)).status).toBe(422)
})
