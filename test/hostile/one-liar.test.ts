import { expect, it } from 'vitest'
import { callBesideLiar } from './one-liar.ts'

it('serves calls of all scripts beside a node that lies', async () => {
  const outcomes = await callBesideLiar(2000, 7)
  for (const one of ['held', 'answer 200', 'throttle true', 'inspect free']) {
    expect(outcomes.get(one), one).toBeGreaterThan(0)
  }
})
