import { inspect as print } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { problem } from '../../src/requests/problem-details.ts'
import { inspect, Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { Secrets } from './known.ts'
import { leaked, seenOf } from './seen.ts'
import { shown } from './shown.ts'
import { eventually } from '../support/eventually.ts'

const value = 'c956e4ba-648f-4e11-8d7e-0d8f3c1a2b6f'
const token = 'AXyzAAIncDE1Mzg0'

describe('the watch', () => {
  it('checks all output of the sources, and reports a leaked secret', async () => {
    const [node, ...others] = memoryNodes(3)
    let eventText = ''
    // A custom node may fail with any message: here with a part of its arguments.
    const fail = vi.fn<(owner: string) => string>(() => 'down')
    const failing = nodeThrough(node!, async ({ value }) => {
      throw new Error(fail(value))
    })
    const onEvent = (event: unknown): void => void (eventText += print(event))
    const redlock = new Redlock({ nodes: [failing, ...others], onEvent })
    const before = ['event', 'error', 'lock', 'inspection', 'rejected request'].map(seenOf)
    const lock = await redlock.acquire('k')
    await redlock.acquire('k', { retry: { attempts: 1 } }).catch(() => {})
    await inspect(redlock, 'k')
    problem({ status: 409, detail: 'Another request is being processed.' }, undefined)
    expect(leaked()).toEqual([])
    fail.mockImplementation((owner) => `no luck with ${owner.slice(0, 20)}`)
    await lock.extend()
    await eventually(() => expect(eventText).toContain('no luck'))
    expect(leaked()).toEqual([expect.stringContaining('is shown by the event')])
    await lock.release()
    expect(leaked()).toHaveLength(1)
    const after = ['event', 'error', 'lock', 'inspection', 'rejected request'].map(seenOf)
    for (const [index, count] of after.entries()) expect(count).toBeGreaterThan(before[index]!)
  })
})

describe('a secret', () => {
  const secrets = new Secrets()
  secrets.add(value, 8)
  secrets.keep(token)

  it.each([
    ['as it is', value],
    ['a part of it', `value ${value.slice(5, 20)}...`],
    ['eight characters of it', value.slice(8, 16)],
    ['its last digits', value.slice(24)],
    ['a token', `Bearer ${token}`],
    ['eight characters of a token', `(${token.slice(3, 11)})`],
  ])('is found in a text: %s', (_, text) => {
    expect(secrets.find(text)).toBeDefined()
  })

  it.each([
    ['its public part', `h${value.slice(0, 8)} since 10:42`],
    ['the key of another test', `key-${crypto.randomUUID()}`],
    ['less than eight characters', value.slice(9, 16)],
  ])('is not found in a text: %s', (_, text) => {
    expect(secrets.find(text)).toBeUndefined()
  })

  it('is found in any part of an object', () => {
    const hidden = Object.defineProperty({}, 'hidden', { value })
    const holders: unknown[] = [
      new Error(`no luck with ${value}`),
      new Error('no luck', { cause: new Error('deep', { cause: { value } }) }),
      Object.assign(new Error('no luck'), { command: { args: [value] } }),
      hidden,
      { [Symbol('own')]: new Map([[{}, new Set([value])]]) },
      { toString: () => value },
      { toJSON: () => ({ value }) },
      { a: { b: { c: { d: { e: [value] } } } } },
      { nodes: [Object.create(null, { value: { value, enumerable: true } })] },
    ]
    expect(holders.map((holder) => secrets.find(shown(holder)))).not.toContain(undefined)
  })

  it('is forgotten in the turn after next, except for a token', () => {
    secrets.turn()
    expect(secrets.find(value)).toBeDefined()
    secrets.turn()
    expect(secrets.find(value)).toBeUndefined()
    expect(secrets.find(token)).toBeDefined()
  })
})
