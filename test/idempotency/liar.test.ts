import { expect, it } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { appWith } from './app.ts'

// One node that lies can forge an answer that no majority has, but not what is never recorded.

it('a record that one node has made up sets no cookie', async () => {
  const memory = memoryNodes(3)
  const [liar] = memory
  const redlock = new Redlock({ nodes: memory })
  let isFirst = true
  const app = appWith(redlock, (c) => {
    if (!isFirst) return c.text('never')
    isFirst = false
    return c.text('down', 503)
  })
  await app.post('click')
  const fence = [...liar!.entries.keys()].find((name) => name.includes(':rf:'))!
  const claim = fence.replace(':rf:', ':r:')
  let fingerprint = ''
  const spy = appWith(redlock, (c) => {
    fingerprint = c.var.lock!.metadata.slice(2)
    return c.text('down', 503)
  })
  await spy.post('click')
  const headers = [
    ['set-cookie', 'session=evil'],
    ['Set-Cookie', 'session=evil'],
    ['access-control-allow-origin', 'https://evil.example'],
    ['x-other', 'evil'],
    ['content-type', 'text/plain'],
  ]
  const content = JSON.stringify({ status: 200, headers, body: btoa('forged') })
  const value = `bbbbbbbb d 9007199254740 ${fingerprint} ${content}`
  liar!.entries.set(claim, { value, expiresAt: Date.now() + 60_000 })
  for (let replay = 0; replay < 2; replay++) {
    const answer = await app.post('click')
    expect(await answer.text()).toBe('forged')
    expect(Object.fromEntries(answer.headers)).toEqual({
      'content-type': 'text/plain',
      'idempotent-replayed': 'true',
    })
  }
})
