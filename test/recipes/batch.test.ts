import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { reject, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { later } from '../support/signals.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'
import { importFrom } from './page-modules.ts'

// The consumer of SQS in docs/guides/lambda.md, over five real servers.

type Message = { readonly messageId: string; readonly body: string }
type Result = { readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] }
type Handler = (event: { readonly Records: readonly Message[] }) => Promise<Result>
type Consumer = (redlock: Redlock, work: (body: string) => Promise<void>) => Handler

const consumerOf = async (): Promise<Consumer> => {
  const told = vi.spyOn(console, 'error').mockReturnValue(undefined)
  onTestFinished(() => told.mockRestore())
  return (await importFrom<{ consumer: Consumer }>('docs/guides/lambda.md', 'consumer.ts')).consumer
}
const messages = (...bodies: string[]): Message[] =>
  bodies.map((body) => ({ messageId: freshKey(), body }))
const failuresOf = ({ batchItemFailures }: Result): string[] =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)

describe('docs/guides/lambda.md', () => {
  it('returns only the messages that failed, and runs only those when they arrive again', async () => {
    const consumer = await consumerOf()
    const done: string[] = []
    let isBroken = true
    const handler = consumer(new Redlock({ nodes }), async (body) => {
      if (body === 'bad' && isBroken) throw new Error('no paper')
      done.push(body)
    })
    const Records = messages('one', 'bad', 'two')
    expect(failuresOf(await handler({ Records }))).toEqual([Records[1]!.messageId])
    expect(done.toSorted()).toEqual(['one', 'two'])
    isBroken = false
    // The queue may deliver the whole batch again.
    expect(failuresOf(await handler({ Records }))).toEqual([])
    expect(done.toSorted()).toEqual(['bad', 'one', 'two'])
  })

  it('returns a message that another instance still handles, and one in an outage', async () => {
    const consumer = await consumerOf()
    const { promise, resolve } = later()
    const Records = messages('slow')
    const slow = consumer(new Redlock({ nodes }), async () => promise)({ Records })
    const work = vi.fn<() => Promise<void>>()
    expect(failuresOf(await consumer(new Redlock({ nodes }), work)({ Records }))).toHaveLength(1)
    const away = nodes.map((node) => withFault(node, reject))
    const other = consumer(new Redlock({ nodes: away, warnings: false }), work)
    expect(failuresOf(await other({ Records: messages('other') }))).toHaveLength(1)
    expect(work).not.toHaveBeenCalled()
    resolve()
    expect(failuresOf(await slow)).toEqual([])
  })
})
