import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { lockScript, readReply } from '../../src/protocol/script.ts'

describe('the script', () => {
  it('has the SHA-1 that Redis will know it by', () => {
    const sha = createHash('sha1').update(lockScript.source).digest('hex')
    expect(lockScript.sha).toBe(sha)
  })
})

describe('readReply', () => {
  it('reads what the script answers', () => {
    expect(readReply('av', ['av', 'granted', -1, '', 5], 'n')).toEqual({
      node: 'n',
      status: 'granted',
      fence: 5,
    })
    expect(readReply('av', ['av', 'granted', 7, '', 5, 'node'], 'n')).toEqual({
      node: 'n',
      status: 'granted',
      ttl: 7,
      fence: 5,
    })
    expect(readReply('av', ['av', 'absent', -1, '', 5], 'n')).toEqual({
      node: 'n',
      status: 'absent',
      fence: 5,
    })
    expect(readReply('av', ['av', 'quarantined', 7, '', 0], 'n')).toEqual({
      node: 'n',
      status: 'quarantined',
      ttl: 7,
      fence: 0,
      error: new Error('quarantined'),
    })
    expect(readReply('av', ['av', 'locked', 7, 'h12', 2 ** 53 - 1], 'n')).toEqual({
      node: 'n',
      status: 'locked',
      ttl: 7,
      fence: 2 ** 53 - 1,
      holder: 'h12',
    })
    expect(readReply('av', ['av', 'locked', 7, 'h12 worker 3 ', 5], 'n')).toEqual({
      node: 'n',
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
    expect(readReply('av', reply, 'n')).toEqual({
      node: 'n',
      status: 'error',
      error: new Error('no reply of Redis'),
    })
  })
})
