import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { gateway } from '../../src/entries/gateway.ts'
import { lock, throttle } from '../../src/entries/hono.ts'
import { Redlock } from '../../src/index.ts'
import { Secrets } from './known.ts'
import { echoNodes } from './echo-nodes.ts'
import { shown } from './shown.ts'

// The body and the headers of every response.

const token = 'AXyzAAIncDE1Mzg0-Zq9'
const secrets = new Secrets()
secrets.keep(token)
const shownBy = (thing: unknown): string | undefined => secrets.find(shown(thing))

describe('no secret is shown by', () => {
  it('the response to a rejected request', async () => {
    const redlock = new Redlock({ nodes: echoNodes(token) })
    const app = new Hono()
      .get('/lock', lock({ redlock, key: 'k' }), (c) => c.text('done'))
      .get('/throttle', throttle({ redlock, key: 'k', window: 1_000 }), (c) => c.text('done'))
    for (const path of ['/lock', '/throttle']) {
      const response = await app.request(path)
      expect(response.status).toBe(503)
      const answer = [await response.text(), [...response.headers]]
      expect(shownBy(answer)).toBeUndefined()
    }
  })

  it('the responses of a gateway', async () => {
    const fail = async (): Promise<never> => {
      throw new Error(`connect redis://default:${token}@10.0.0.1 failed`)
    }
    const app = gateway({ token, send: fail, transaction: fail })
    const post = (path: string, sent: string, body: string): Response | Promise<Response> =>
      app.request(path, { method: 'POST', headers: { authorization: sent }, body })
    const answers = [
      await post('/', `Bearer ${token}`, '["GET","k"]'),
      await post('/pipeline', `Bearer ${token}`, '[["GET","k"]]'),
      await post('/multi-exec', `Bearer ${token}`, '[["GET","k"]]'),
      await post('/', `Bearer ${token}`, 'nonsense'),
      await post('/', `Bearer ${token}x`, '["GET","k"]'),
      await post('/', token, '["GET","k"]'),
      await app.request(`/get/k?_token=${token}`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 400, 401, 401, 401])
    for (const answer of answers) {
      expect(shownBy([await answer.text(), [...answer.headers]])).toBeUndefined()
    }
  })
})
