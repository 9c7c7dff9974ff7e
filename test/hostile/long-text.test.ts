import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { check, diagnose } from '../../src/entries/doctor.ts'
import { replyErrorText } from '../../src/gateway/failure.ts'
import {
  inspect,
  ioredisNode,
  type LockNode,
  nodeRedisNode,
  Redlock,
  restNode,
  upstashNode,
} from '../../src/index.ts'
import { printable } from '../../src/operations/cli/printable.ts'
import { safeCopy } from '../../src/operations/cli/safe-json.ts'
import { redisNode } from '../../src/redis/redis-node.ts'
import { eventsOf } from '../../src/client/wake-up/listener.ts'

// A node may send 64 KiB of any text. One hostile node must not stop the event loop of its clients, so every place
// that reads such a text is fed with the worst for it.

// With what surrounds it, it is no longer than the longest reply that is read.
const size = 65_000
const of = (part: string): string => part.repeat(size / part.length)

// What patterns of this library, and usual ones, take long for: words that begin many matches and end none.
const texts: Readonly<Record<string, string>> = {
  'connection ': of('connection '),
  'socket ': of('socket '),
  'NOPERM ': of('NOPERM '),
  'key ': `NOPERM ${of('key ')}`,
  'Cannot read ': of('Cannot read '),
  ' is not ': of(' is not '),
  ' script: ': of(' script: f, on @'),
  '// ': of('//'),
  '//a': of('//a:a'),
  a: of('a'),
  blanks: of(' '),
  'line breaks': of('\r\n'),
  '%25': of('%25'),
  '%f': of('%f0%9f'),
  'data: ': of('data: \n'),
  'fields of INFO': of('run_id:\r\r\r'),
  escapes: of('\u001b[2J'),
  ', with args beginning': of(', with args beginning'),
}

// The processor time of this thread, since a busy machine makes it wait. Collecting garbage takes long now and then, so
// the fastest of several runs counts. The work beside the text is that of a short text, which the time is compared with.
const runs = 15
const maxTime = 5

const fastest = async (work: () => unknown): Promise<number> => {
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    const begun = process.threadCpuUsage()
    await work()
    const { user, system } = process.threadCpuUsage(begun)
    times.push((user + system) / 1_000)
  }
  return Math.min(...times)
}

/** The texts that the work takes long for, with ms. */
const slowTexts = async (work: (text: string) => unknown): Promise<[string, number][]> => {
  const usual = await fastest(() => work('ERR'))
  const slow: [string, number][] = []
  for (const [name, text] of Object.entries(texts)) {
    const time = (await fastest(() => work(text))) - usual
    if (time > maxTime) slow.push([name, time])
  }
  return slow
}

const { signal } = new AbortController()
const fail = (text: string): Promise<never> => Promise.reject(new Error(text))

/** Sends a lock to the node, whose failure is looked at. */
const run = async (node: LockNode): Promise<void> => {
  expect(await over(node).tryAcquire('key')).toMatchObject({ reason: 'unavailable' })
}

/** A node whose replies are those of a hostile server. */
const nodeThat = (reply: (echo: string) => unknown): LockNode =>
  redisNode({ name: 'hostile', send: async (_command, { echo }) => reply(echo) })

const over = (node: LockNode): Redlock => new Redlock({ nodes: [node], warnings: false })

/** Every place that reads text of a server. */
const places: Readonly<Record<string, (text: string) => unknown>> = {
  'as the error of a REST node': (text) => {
    const fetch = async (): Promise<Response> => Response.json({ error: text }, { status: 400 })
    return run(restNode({ url: 'https://a.example', token: 'secret', fetch }))
  },
  'as a body that is no JSON': (text) => {
    const fetch = async (): Promise<Response> => new Response(text)
    return run(restNode({ url: 'https://a.example', token: 'secret', fetch }))
  },
  'as the error of an @upstash/redis client': (text) => {
    const client = { evalsha: () => fail(text), eval: () => fail(text) }
    return run(upstashNode(client, { name: 'a' }))
  },
  'as the error of an ioredis client': (text) => {
    const client = Object.assign(new EventEmitter(), {
      status: 'ready',
      options: { enableOfflineQueue: false, maxRetriesPerRequest: 0, password: 'secret' },
      connect: async () => {},
      call: () => fail(text),
    })
    const node = ioredisNode(client, { name: 'a' })
    client.emit('error', new Error(text))
    return run(node)
  },
  'as the error of a node-redis client': (text) => {
    const client = Object.assign(new EventEmitter(), {
      isOpen: true,
      isReady: true,
      connect: async () => {},
      select: async () => {},
      sendCommand: () => fail(text),
    })
    return run(nodeRedisNode(client, { name: 'a' }))
  },
  'as the error of a node of the user, and its cause': (text) => {
    const error = new Error(text, { cause: new Error(text.slice(1)) })
    return run({ name: 'a', run: () => Promise.reject(error) })
  },
  'as the holder, and as what it says of itself': async (text) => {
    const locked = (holder: string): LockNode =>
      nodeThat((echo) => [echo, 'locked', 1000, holder, 0, 'id'])
    await over(locked(text)).tryAcquire('key')
    await inspect(over(locked(`h12345678 ${text}`)), 'key')
    await inspect(over(locked(`h12345678 d 1 ${text}`)), 'key', { kind: 'claim' })
  },
  'as the facts that the doctor asks for': async (text) => {
    const node = nodeThat((echo) => [echo, text, 0, text, text, text, text])
    expect(diagnose(await check(over(node)))).not.toEqual([])
  },
  'as messages for waiters': async (text) => {
    const { body } = new Response(text)
    for await (const data of eventsOf(body!, signal)) expect(data.length).toBeLessThan(size)
  },
  'as an error behind the gateway': (text) => replyErrorText(new Error(text)),
  'on its way to the console': (text) => {
    printable(['secret'])(text)
    safeCopy({ text }, ['secret'])
  },
}

it.each(Object.entries(places))(
  '64 KiB of text of a server take at most 5 ms %s',
  async (_name, work) => {
    expect(await slowTexts(work)).toEqual([])
  },
)
