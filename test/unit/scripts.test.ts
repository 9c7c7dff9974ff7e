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
  const call: ScriptCall = {
    script: lockScript,
    keys: ['k', 'x'],
    args: ['a', 'v', '10', '2', '5'],
  }

  it('reads what the script answers', () => {
    expect(readReply(call, ['av', 'granted', -1, '', 5])).toEqual({ status: 'granted', fence: 5 })
    expect(readReply(call, ['av', 'granted', 7, '', 5, 'node'])).toEqual({
      status: 'granted',
      ttl: 7,
      fence: 5,
      identity: 'node',
    })
    expect(readReply(call, ['av', 'absent', -1, '', 5])).toEqual({ status: 'absent', fence: 5 })
    expect(readReply(call, ['av', 'quarantined', 7, '', 0])).toEqual({
      status: 'quarantined',
      ttl: 7,
      fence: 0,
      error: new Error('quarantined'),
    })
    expect(readReply(call, ['av', 'locked', 7, 'h12', 2 ** 53 - 1])).toEqual({
      status: 'locked',
      ttl: 7,
      fence: 2 ** 53 - 1,
      holder: 'h12',
    })
    expect(readReply(call, ['av', 'locked', 7, 'h12 worker 3 ', 5])).toEqual({
      status: 'locked',
      ttl: 7,
      fence: 5,
      holder: 'h12',
      metadata: 'worker 3 ',
    })
  })

  it.each([
    ['nothing', undefined],
    ['an object', {}],
    ['an empty array', []],
    ['the reply to another value', ['aw', 'granted', -1, '', 5]],
    ['the reply to another step', ['rv', 'granted', -1, '', 5]],
    ['a refusal without a holder', ['av', 'locked', 7]],
    ['a refusal without a counter', ['av', 'locked', 7, 'h12']],
    ['a counter as a string', ['av', 'granted', -1, '', '5']],
    ['a counter that is no integer', ['av', 'granted', -1, '', 5.5]],
    ['a counter that is not safe', ['av', 'granted', -1, '', 2 ** 53]],
    ['a status that nobody knows', ['av', 'toString', -1, '', 5]],
    ['a status that is none of a reply', ['av', 'error', -1, '', 5]],
    ['a status in a list', ['av', ['granted'], -1, '', 5]],
    ['a status that is no text', ['av', { toString: 1 }, -1, '', 5]],
    ['a time as a string', ['av', 'locked', '7', 'h12', 5]],
    ['a time that is no integer', ['av', 'locked', 0.5, 'h12', 5]],
    ['a time that is not safe', ['av', 'locked', 1e300, 'h12', 5]],
    ['no time', ['av', 'locked', null, 'h12', 5]],
    ['a refusal by nobody', ['av', 'locked', 7, '', 5]],
    ['a grant while another holds it', ['av', 'granted', 7, 'h12', 5]],
    ['more of a secret than the first eight bytes', ['av', 'locked', 7, 'h123456789', 5]],
  ])('refuses %s', (_, reply) => {
    expect(() => readReply(call, reply)).toThrow(Error)
  })
})
