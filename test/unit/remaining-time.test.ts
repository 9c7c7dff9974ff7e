import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withLock } from '../../src/entries/fetch.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** The answer while another client holds the lock, and the ms that are left of two seconds by then. */
const answerBefore = async (delay: number, random: number) => {
  const nodes = memoryNodes(3)
  await new Redlock({ nodes }).acquire('k')
  for (const node of nodes) node.delay(delay)
  const redlock = new Redlock({ nodes, advanced: { random: () => random } })
  const handler = withLock({ redlock, key: 'k', wait: 60_000 }, (_event: object) => ({
    statusCode: 200,
  }))
  const end = Date.now() + 2000
  const left = (): number => end - Date.now()
  const answered = handler(
    { httpMethod: 'POST', path: '/' },
    { getRemainingTimeInMillis: left },
  ).then(({ statusCode }): readonly [status: number, left: number] => [statusCode, left()])
  await vi.advanceTimersByTimeAsync(2500)
  return answered
}

describe('the end of the time of a function', () => {
  // The last ballot has hardly more time than nodes that are far away need.
  it.each(Array.from({ length: 20 }, (_, index) => index / 20))(
    'does not make an outage of a lock that is held (random: %s)',
    async (random) => {
      expect(await answerBefore(150, random)).toMatchObject([409, expect.any(Number)])
    },
  )

  it('leaves a tenth of the time for the answer', async () => {
    const [status, left] = await answerBefore(1, 0.5)
    expect(status).toBe(409)
    expect(left).toBeGreaterThanOrEqual(200)
  })

  it('is no limit where the platform sets none, and neither is `maxHold`', async () => {
    const nodes = memoryNodes(3)
    await new Redlock({ nodes }).acquire('k')
    const redlock = new Redlock({ nodes })
    const options = { redlock, key: 'k', wait: 5_000, maxHold: 1_000 }
    const handler = withLock(options, (_request: Request) => new Response('ran'))
    const begun = Date.now()
    const answered = handler(new Request('https://a.example')).then(
      ({ status }): readonly [status: number, waited: number] => [status, Date.now() - begun],
    )
    await vi.advanceTimersByTimeAsync(6_000)
    const [status, waited] = await answered
    expect(status).toBe(409)
    expect(waited).toBeGreaterThan(4_500)
  })
})
