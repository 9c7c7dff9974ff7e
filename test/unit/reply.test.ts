import { describe, expect, it } from 'vitest'
import type { KeyCommand } from '../../src/protocol/command.ts'
import { lockLua } from '../../src/redis/commands.ts'
import type { NodeReport } from '../../src/core/results/node-report.ts'
import { answerOf } from '../../src/core/answer-of.ts'
import { nodeError } from '../../src/protocol/node.ts'
import { echoOf, parseReply, type WireReply, writeReply } from '../../tools/redis-wire.ts'

const acquire: KeyCommand = {
  op: 'acquire',
  keys: ['l:k'],
  fences: ['f:k'],
  tombstone: 'x:v',
  identity: 'id',
  owner: 'v',
  value: 'v',
  fenceTtl: 11_000,
  ttl: 1_000,
  minCounter: 0,
}

/** Reads a reply to an acquire as a node and a client do. */
const readReply = (echo: string, reply: unknown, node: string): NodeReport => {
  try {
    return answerOf(node, 'acquire', lockLua.decode(acquire, echo, reply), undefined)
  } catch (error) {
    return { node, status: 'error', error: nodeError(error) }
  }
}

describe('writeReply', () => {
  const reply: WireReply = { echo: 'av', status: 'locked', left: 7, holder: 'h12', counter: 5 }

  it('writes what parseReply reads', () => {
    expect(writeReply(reply)).toEqual(['av', 'locked', 7, 'h12', 5])
    expect(writeReply({ ...reply, identity: 'id' })).toEqual(['av', 'locked', 7, 'h12', 5, 'id'])
    for (const identity of [undefined, 'id']) {
      expect(parseReply(writeReply({ ...reply, identity }))).toEqual({ ...reply, identity })
    }
  })

  it('begins with the operation and the owner', () => {
    expect(echoOf(['a', 'v worker 3', '1', '2', '3'])).toBe('av worker 3')
  })
})

describe('readReply', () => {
  it.each<[unknown[], NodeReport]>([
    [['av', 'granted', -1, '', 5], { node: 'n', status: 'granted', fence: 5 }],
    [['av', 'granted', 7, '', 5], { node: 'n', status: 'granted', ttl: 7, fence: 5 }],
    [['av', 'absent', -1, '', 5], { node: 'n', status: 'absent', fence: 5 }],
    [
      ['av', 'quarantined', 7, '', 0],
      { node: 'n', status: 'quarantined', ttl: 7, fence: 0, error: new Error('quarantined') },
    ],
    [
      ['av', 'locked', 7, 'h12', 2 ** 53 - 1],
      { node: 'n', status: 'locked', ttl: 7, fence: 2 ** 53 - 1, holder: '12' },
    ],
    [
      ['av', 'locked', 7, 'h12 worker 3 ', 5],
      { node: 'n', status: 'locked', ttl: 7, fence: 5, holder: '12', metadata: 'worker 3 ' },
    ],
  ])('reads %j, with an identity and without', (reply, report) => {
    expect(readReply('av', reply, 'n')).toEqual(report)
    expect(readReply('av', [...reply, 'id'], 'n')).toEqual({ ...report, server: 'id' })
  })

  it.each([
    ['nothing', undefined],
    ['an object', {}],
    ['an empty array', []],
    ['the reply to another value', ['aw', 'granted', -1, '', 5]],
    ['the reply to another operation', ['rv', 'granted', -1, '', 5]],
    ['a rejection without a holder', ['av', 'locked', 7]],
    ['a rejection without a counter', ['av', 'locked', 7, 'h12']],
    ['a counter as a string', ['av', 'granted', -1, '', '5']],
    ['a counter that is not an integer', ['av', 'granted', -1, '', 5.5]],
    ['a counter that is not a safe integer', ['av', 'granted', -1, '', 2 ** 53]],
    ['an unknown status', ['av', 'toString', -1, '', 5]],
    ['a status that only reports have', ['av', 'error', -1, '', 5]],
    ['a status in a list', ['av', ['granted'], -1, '', 5]],
    ['a status that is not a string', ['av', { toString: 1 }, -1, '', 5]],
    ['a time as a string', ['av', 'locked', '7', 'h12', 5]],
    ['a time that is not an integer', ['av', 'locked', 0.5, 'h12', 5]],
    ['a time that is not a safe integer', ['av', 'locked', 1e300, 'h12', 5]],
    ['no time', ['av', 'locked', null, 'h12', 5]],
    ['a holder in a list', ['av', 'locked', 7, ['h12'], 5]],
    ['a list in place of no holder', ['av', 'granted', 7, [], 5]],
    ['a holder that is not a string', ['av', 'granted', 7, 0, 5]],
    ['a rejection with an empty holder', ['av', 'locked', 7, '', 5]],
    ['a grant while another holds it', ['av', 'granted', 7, 'h12', 5]],
    ['more of a secret than the first eight bytes', ['av', 'locked', 7, 'h123456789', 5]],
  ])('reports an error for %s', (_, reply) => {
    expect(readReply('av', reply, 'n')).toMatchObject({
      node: 'n',
      status: 'error',
      error: { message: expect.stringMatching(/^(no valid reply|not a Redis reply)$/) },
    })
  })
})
