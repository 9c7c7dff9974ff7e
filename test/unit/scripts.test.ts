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
  const call: ScriptCall = { script: lockScript, keys: ['k', 'x'], args: ['a', 'v', '10'] }

  it('reads what the script answers', () => {
    expect(readReply(call, ['av', 1])).toEqual({ status: 'granted' })
    expect(readReply(call, ['av', -1])).toEqual({ status: 'absent' })
    expect(readReply(call, ['av', 0, 7, 'h12'])).toEqual({
      status: 'locked',
      ttl: 7,
      holder: 'h12',
    })
  })

  it.each([
    ['nothing', undefined],
    ['an object', {}],
    ['an empty array', []],
    ['the reply to another value', ['aw', 1]],
    ['the reply to another step', ['rv', 1]],
    ['a code as text', ['av', '1']],
    ['a code it does not know', ['av', 2]],
    ['a refusal without a holder', ['av', 0, 7]],
    ['a refusal without a time', ['av', 0, null, 'h12']],
  ])('refuses %s', (_, reply) => {
    expect(() => readReply(call, reply)).toThrow('not a reply of the script')
  })
})
