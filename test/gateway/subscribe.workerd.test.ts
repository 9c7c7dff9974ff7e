import { env } from 'cloudflare:workers'
import type { Subscribe } from '../../src/gateway/subscription.ts'
import { expect, test } from 'vitest'
import { gateway } from '../../src/entries/gateway.ts'
import type { RestNodeOptions } from '../../src/index.ts'
import { command } from '../../tools/servers/node-commands.ts'

// A gateway on workerd whose Redis is behind another gateway: it subscribes there by `fetch`.

const { REDLOCK_NODES } = env
const [node] = JSON.parse(String(REDLOCK_NODES)) as [RestNodeOptions]
const token = 'token-of-the-worker'

const subscribe: Subscribe = async ({ command: name, channels, onMessage, onEnd, signal }) => {
  const response = await fetch(`${node.url}/${name}/${channels.join('/')}`, {
    headers: { authorization: `Bearer ${node.token}`, accept: 'text/event-stream' },
    signal,
  })
  if (!response.ok) throw new Error(((await response.json()) as { error: string }).error)
  const read = async (): Promise<void> => {
    let rest = ''
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        const [, channel, message] = /^data: message,(.*?),(.*)/.exec(line) ?? []
        if (channel !== undefined) onMessage(message!, channel)
      }
    }
  }
  void read().then(onEnd, onEnd)
}

const app = gateway({
  token,
  // The gateway behind it does not let COMMAND pass, which would tell what is dangerous.
  allow: ['PUBLISH', 'SUBSCRIBE'],
  send: (words) => command(node, ...words.map(String)),
  transaction: async () => [],
  subscribe,
})
const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }

const countOf = async (channel: string): Promise<unknown> =>
  ((await command(node, 'PUBSUB', 'NUMSUB', channel)) as unknown[])[1]

test('a gateway on workerd streams messages until the client leaves', async () => {
  const channel = `chat-${crypto.randomUUID()}`
  const response = await app.request(`/subscribe/${channel}`, {
    method: 'POST',
    headers,
    body: '[]',
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader.read()).value).toBe(`data: subscribe,${channel},1\n\n`)
  expect(await countOf(channel)).toBe(1)
  for (const message of ['first', 'a, b', '{"é":1}']) {
    const published = await app.request('/', {
      method: 'POST',
      headers,
      body: JSON.stringify(['PUBLISH', channel, message]),
    })
    expect(await published.json()).toEqual({ result: 1 })
    expect((await reader.read()).value).toBe(`data: message,${channel},${message}\n\n`)
  }
  await reader.cancel()
  await expect.poll(() => countOf(channel), { timeout: 10_000 }).toBe(0)
})

test('a server that rejects is answered by 400 on workerd as well', async () => {
  const rejected = await gateway({
    token,
    send: async () => null,
    transaction: async () => [],
    subscribe: async () => {
      throw new Error('NOPERM no channels')
    },
  }).request('/subscribe/chat', { headers })
  expect([rejected.status, await rejected.json()]).toEqual([400, { error: 'NOPERM no channels' }])
})
