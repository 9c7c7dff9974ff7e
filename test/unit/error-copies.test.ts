import { once } from 'node:events'
import { runInNewContext } from 'node:vm'
import { MessageChannel } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { isStaleTokenError, StaleTokenError } from '../../src/entries/guards.ts'
import {
  isLockedError,
  isLockLostError,
  isQuorumError,
  LockedError,
  LockLostError,
  QuorumError,
} from '../../src/index.ts'

// The functions that recognize an error also recognize its copies, as the README says.

const rejection = {
  retryAfter: 5,
  nodes: [{ node: 'a', status: 'error', error: new Error('down') } as const],
}
const errors: readonly [error: Error, isOne: (error: unknown) => boolean][] = [
  [new LockedError(['k'], rejection), isLockedError],
  [new QuorumError(['k'], rejection), isQuorumError],
  [new LockLostError(['k'], 'id', 'it was released'), isLockLostError],
  [new StaleTokenError('k', 7, 9), isStaleTokenError],
]

const posted = async (message: unknown): Promise<unknown> => {
  const { port1, port2 } = new MessageChannel()
  port1.postMessage(message)
  const [received] = (await once(port2, 'message')) as unknown[]
  port1.close()
  return received
}

describe.each(errors)('%s', (error, isOne) => {
  it('is recognized from another realm and as JSON', () => {
    const foreign = Object.assign(runInNewContext('new Error("")') as object, error)
    expect(foreign).not.toBeInstanceOf(Error)
    expect(isOne(foreign)).toBe(true)
    expect(isOne(JSON.parse(JSON.stringify(error)))).toBe(true)
  })

  it('is recognized after postMessage if its properties are posted', async () => {
    const properties = Object.assign({}, error)
    const received = await posted(properties)
    expect(isOne(received)).toBe(true)
    expect(received).toEqual(properties)
  })

  it('is not recognized if it is posted itself: that keeps only the message', async () => {
    const received = await posted(error)
    expect(received).toMatchObject({ message: error.message, name: 'Error' })
    expect(errors.some(([, isOne]) => isOne(received))).toBe(false)
  })

  it('is none of the others', () => {
    expect(errors.filter(([, isOne]) => isOne(error))).toHaveLength(1)
  })
})
