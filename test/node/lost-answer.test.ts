import { connect, createServer } from 'node:http2'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { Redlock, type RestNodeOptions } from '../../src/index.ts'
import { idempotent } from '../../src/entries/node.ts'
import { listening } from '../../tools/cli/listening.ts'
import { hangUntilAborted } from '../../tools/faults.ts'
import { eventually } from '../support/eventually.ts'
import { during, reject, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'
import { later } from '../support/signals.ts'

// One of three nodes executes the claim of a request over HTTP/2, and its answer is lost.

const [a, b, c] = realNodes as readonly [RestNodeOptions, RestNodeOptions, RestNodeOptions]

/** Serves an idempotent handler over HTTP/2. All requests share one connection. */
const serve = async (nodes: readonly RestNodeOptions[], handler: () => Promise<string>) => {
  const redlock = new Redlock({ nodes, warnings: false })
  const once = idempotent({ redlock, scope: () => 'user', wait: 30_000 })
  let requests = 0
  const server = createServer((req, res) => {
    requests++
    void once(req, res, async () => void res.writeHead(201).end(await handler()))
  })
  const session = connect(`http://127.0.0.1:${await listening(server)}`)
  onTestFinished(() => {
    session.destroy()
    server.close()
  })
  const post = async (key: string) => {
    const sent = session.request({ ':method': 'POST', ':path': '/', 'idempotency-key': key })
    let head: Readonly<Record<string, unknown>> = {}
    sent.on('response', (headers) => (head = headers)).end('payload')
    const body = await text(sent)
    return { status: head[':status'], isReplay: head['idempotent-replayed'] === 'true', body }
  }
  return { post, requests: () => requests }
}

type Lose = (request: { signal: AbortSignal | undefined }, answer: Response) => Promise<Response>

it.each<[string, (handlerRuns: Promise<void>) => Lose]>([
  ['never comes', () => hangUntilAborted],
  ['comes while the handler runs', (handlerRuns) => (_, answer) => handlerRuns.then(() => answer)],
  ['is lost with its connection', () => () => Promise.reject(new TypeError('fetch failed'))],
])('an answer that %s: the handler runs once, and duplicates get its response', async (_, make) => {
  const [begun, end] = [later(), later()]
  let runs = 0
  const handler = async (): Promise<string> => {
    runs++
    begun.resolve()
    await end.promise
    return crypto.randomUUID()
  }
  let lost = 0
  const lose = make(begun.promise)
  const losing = during('a', async (request, send) => {
    const answer = await send()
    // Other answers, such as that of a server that does not know the script, arrive.
    if (!(await answer.clone().text()).includes('"granted"')) return answer
    lost++
    return lose(request, answer)
  })
  const { post, requests } = await serve([withFault(a, losing), b, c], handler)
  const key = freshKey()
  const first = post(key)
  await begun.promise
  const beside = post(key)
  await eventually(() => expect(requests()).toBe(2))
  end.resolve()
  const { body, ...answer } = await first
  expect(answer).toEqual({ status: 201, isReplay: false })
  const replay = { status: 201, isReplay: true, body }
  expect(await beside).toEqual(replay)
  expect(await post(key)).toEqual(replay)
  // Another server gets the answers of this node, and none of another.
  const other = await serve([a, withFault(b, reject), c], handler)
  expect(await other.post(key)).toEqual(replay)
  expect(runs).toBe(1)
  expect(lost).toBeGreaterThan(0)
})
