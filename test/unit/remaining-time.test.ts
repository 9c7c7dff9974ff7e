import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withLock } from '../../src/fetch/index.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/testing/index.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the end of the time of a function', () => {
  // The last ballot has hardly more time than nodes that are far away need.
  it.each(Array.from({ length: 20 }, (_, index) => index / 20))(
    'does not make an outage of a lock that is held (random: %s)',
    async (random) => {
      const nodes = memoryNodes(3)
      await new Redlock({ nodes }).acquire('k')
      for (const node of nodes) node.delay(150)
      const redlock = new Redlock({ nodes, advanced: { random: () => random } })
      const handler = withLock({ redlock, key: 'k', wait: 60_000 }, (_event: object) => ({
        statusCode: 200,
      }))
      const end = Date.now() + 2000
      const answer = handler({}, { getRemainingTimeInMillis: () => end - Date.now() })
      await vi.advanceTimersByTimeAsync(2500)
      expect(await answer).toMatchObject({ statusCode: 409 })
    },
  )
})
