import { expect, it } from 'vitest'
import { testNode } from '../../src/entries/testing.ts'
import { brokenNodes, subjectOf, volatileSubject } from './broken-nodes.ts'

const options = { sequences: 20, timeout: 2_000 }

it.each([
  ['a sound store', subjectOf],
  ['a sound volatile store', volatileSubject],
  ['a store whose clock is 4 s ahead', () => subjectOf({ now: () => Date.now() + 4_000 })],
  ['a store whose clock is 4 s behind', () => subjectOf({ now: () => Date.now() - 4_000 })],
])('%s passes', async (_, make) => {
  const { node, ...more } = make()
  const { passed, skipped } = await testNode(node, { ...options, ...more })
  expect(passed).toContain('restart')
  expect(skipped).toEqual(
    more.connect ? [] : [{ test: 'connections', reason: '`connect` is missing' }],
  )
})

it.concurrent.each(brokenNodes)('notices a node that %s', async (_, noticed, make) => {
  const { node, ...more } = make()
  await expect(testNode(node, { ...options, ...more })).rejects.toThrow(noticed)
})
