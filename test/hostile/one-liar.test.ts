import { expect, it } from 'vitest'
import { callBesideLiar } from './one-liar.ts'

it('serves calls of all scripts beside a node that lies', async () => {
  const outcomes = await callBesideLiar(2000, 7)
  const outcomeNames = [...outcomes.keys()]
  expect(outcomeNames).toEqual(
    expect.arrayContaining(['held', 'answer 200', 'throttle true', 'inspect free']),
  )
})
