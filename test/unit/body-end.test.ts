import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { onBodyEnd } from '../../src/requests/body-end.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const scope = { request: new Request('https://example.com/') }
const done = vi.fn<() => Promise<void>>(async () => {})

it('watches a body without a first chunk only while its lock is held', async () => {
  const lock = { held: true, expiresIn: 300 }
  void onBodyEnd(scope, new Response(new ReadableStream()), lock, done)
  await vi.advanceTimersByTimeAsync(5000)
  expect(vi.getTimerCount()).toBe(1)
  lock.held = false
  await vi.advanceTimersByTimeAsync(5000)
  expect(vi.getTimerCount()).toBe(0)
})

it('leaves no timer behind when the body has ended', async () => {
  const lock = { held: true, expiresIn: 60_000 }
  const response = await onBodyEnd(scope, new Response('text'), lock, done)
  expect(await response.text()).toBe('text')
  expect(done).toHaveBeenCalled()
  expect(vi.getTimerCount()).toBe(0)
})
