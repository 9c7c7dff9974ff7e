import { expect, it } from 'vitest'
import { callBesideLiar } from './one-liar.ts'

// An error in nobody's hands would end the process of a user. Vitest fails the run for each.
it(
  'survives 50,000 calls of all scripts beside a node that lies',
  { timeout: 300_000 },
  async () => {
    const outcomes = await callBesideLiar(50_000, Date.now())
    const outcomeNames = [...outcomes.keys()]
    expect(outcomeNames).toEqual(
      expect.arrayContaining(['held', 'answer 200', 'throttle true', 'inspect free']),
    )
  },
)
