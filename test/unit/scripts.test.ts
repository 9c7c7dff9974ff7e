import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { lockScript, readReply, type ScriptCall } from '../../src/scripts.ts'

describe('the script', () => {
  it('has the SHA-1 that Redis will know it by', () => {
    const sha = createHash('sha1').update(lockScript.source).digest('hex')
    expect(lockScript.sha).toBe(sha)
  })
})

describe('readReply', () => {
  const call: ScriptCall = { script: lockScript, keys: ['k', 'x'], args: ['a', 'v', '10', '2'] }

  it('reads what the script answers', () => {
    expect(readReply(call, ['av', 'granted', -1, ''])).toEqual({ status: 'granted' })
    expect(readReply(call, ['av', 'granted', 7, '', 'node'])).toEqual({
      status: 'granted',
      ttl: 7,
      identity: 'node',
    })
    expect(readReply(call, ['av', 'absent', -1, ''])).toEqual({ status: 'absent' })
    expect(readReply(call, ['av', 'locked', 7, 'h12'])).toEqual({
      status: 'locked',
      ttl: 7,
      holder: 'h12',
    })
    expect(readReply(call, ['av', 'locked', 7, 'h12 worker 3 '])).toEqual({
      status: 'locked',
      ttl: 7,
      holder: 'h12',
      metadata: 'worker 3 ',
    })
  })

  it.each([
    ['nothing', undefined],
    ['an object', {}],
    ['an empty array', []],
    ['the reply to another value', ['aw', 'granted', -1, '']],
    ['the reply to another step', ['rv', 'granted', -1, '']],
    ['a status as a number', ['av', 1, -1, '']],
    ['a status in an array', ['av', ['granted'], -1, '']],
    ['a status it does not know', ['av', 'grant', -1, '']],
    ['a refusal without a holder', ['av', 'locked', 7]],
    ['a refusal without a time', ['av', 'locked', null, 'h12']],
  ])('refuses %s', (_, reply) => {
    expect(() => readReply(call, reply)).toThrow(Error)
  })
})
