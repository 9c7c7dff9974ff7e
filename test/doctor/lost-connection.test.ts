import { expect, it } from 'vitest'
import { check, diagnose } from '../../src/entries/doctor.ts'
import { Redlock } from '../../src/index.ts'
import { realNodes } from '../support/real-nodes.ts'

it('asks a node again whose connection has ended', async () => {
  let left = 1
  const resetting: typeof fetch = async (input, init) => {
    if (left-- > 0) throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })
    return fetch(input, init)
  }
  const [first, ...others] = realNodes
  const redlock = new Redlock({ nodes: [{ ...first!, fetch: resetting }, ...others] })
  const report = await check(redlock)
  expect(left).toBeLessThan(1)
  expect(report.nodes.map(({ error }) => error)).toEqual(realNodes.map(() => undefined))
  expect(diagnose(report).filter(({ code }) => code === 'unreachable')).toEqual([])
})
