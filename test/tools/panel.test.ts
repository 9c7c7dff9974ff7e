import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { fromEnv, throttle } from '../../src/index.ts'
import { type Cluster, startCluster } from '../../tools/servers/cluster.ts'
import { type Panel, startPanel } from '../../tools/start/panel/server.ts'
import { freshKey } from '../support/nodes.ts'

const workerPort = 8787
const origin = `http://127.0.0.1:${workerPort}`

let cluster: Cluster
let panel: Panel
beforeAll(async () => {
  cluster = await startCluster({ count: 3 })
  panel = await startPanel(cluster, workerPort)
})
afterAll(async () => {
  await panel.close()
  await cluster.close()
})

const send = (path: string, method = 'GET'): Promise<Response> =>
  fetch(new URL(path, panel.script), { method, headers: { origin } })
const act = (path: string): Promise<Response> => send(`/nodes/${path}`, 'POST')
type Node = { status: string; keys?: { kind: string; key: string; left: number }[] }
const nodes = async (): Promise<Node[]> => (await send('/nodes')).json() as Promise<Node[]>
const statuses = async (): Promise<string[]> => (await nodes()).map(({ status }) => status)

/** The status of a request whose headers a browser would not let a page choose. */
const statusOf = (headers: Record<string, string>, method = 'GET'): Promise<number> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(panel.script)
    const options = { host: '127.0.0.1', port, path: '/nodes', method, headers }
    request(options, (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
      .on('error', reject)
      .end()
  })

describe('the panel of npm start', () => {
  it('shows which locks and throttles each node holds, and for how long', async () => {
    const redlock = fromEnv(cluster.env)
    const key = freshKey()
    await using lock = await redlock.acquire(key, { ttl: 60_000 })
    await throttle(redlock, key, { window: 30_000 })
    const heldNow = async () => (await nodes()).map(({ keys }) => keys)
    const expected = [
      { kind: 'lock', key },
      { kind: 'throttle', key },
    ]
    // Two nodes are a quorum: the third one may grant later.
    await expect.poll(heldNow).toMatchObject([expected, expected, expected])
    const held = await heldNow()
    for (const [first, second] of held.map((keys) => keys!.map(({ left }) => left))) {
      expect(first).toBeGreaterThan(50_000)
      expect(second).toBeGreaterThan(20_000)
    }
    // The value of a lock is its secret: whoever knows it can release the lock.
    expect(JSON.stringify(held)).not.toContain(lock.value)
  })

  it('freezes, resumes, stops and starts a node', async () => {
    await act('2/freeze')
    expect(await statuses()).toEqual(['up', 'frozen', 'up'])
    await act('2/start')
    expect(await statuses()).toEqual(['up', 'frozen', 'up'])
    await act('2/resume')
    expect(await statuses()).toEqual(['up', 'up', 'up'])
    await act('2/freeze')
    await act('2/stop')
    expect(await statuses()).toEqual(['up', 'down', 'up'])
    await act('2/resume')
    await act('2/freeze')
    expect(await statuses()).toEqual(['up', 'down', 'up'])
    expect((await act('2/start')).status).toBe(204)
    expect(await nodes()).toMatchObject([{}, { status: 'up', keys: [] }, {}])
  })

  it('survives clicks in any order', async () => {
    const actions = ['stop', 'start', 'freeze', 'start', 'stop', 'stop', 'start', 'start', 'resume']
    await Promise.all(actions.map((action) => act(`3/${action}`)))
    expect(await statuses()).toEqual(['up', 'up', 'up'])
  })

  it('shows a server that something else has frozen', async () => {
    cluster.nodes[0]!.controls.freeze()
    expect(await statuses()).toEqual(['frozen', 'up', 'up'])
    await act('1/resume')
    // A server that was frozen answers when it gets its turn.
    await vi.waitFor(async () => expect(await statuses()).toEqual(['up', 'up', 'up']), {
      timeout: 20_000,
    })
  })

  it('knows no other nodes and actions', async () => {
    for (const path of ['0/stop', '4/stop', '1/toString', '1/stop/2', 'x/stop']) {
      expect((await act(path)).status).toBe(404)
    }
  })

  it('serves the page of the Worker only', async () => {
    const { host } = new URL(panel.script)
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      expect(await statusOf({ host }, method)).toBe(403)
      for (const other of ['https://evil.example', 'null', `${origin}.evil.example`, origin + 1]) {
        expect(await statusOf({ host, origin: other }, method)).toBe(403)
      }
    }
    expect(await statusOf({ host, origin })).toBe(200)
    expect(await statusOf({ host, origin: `http://localhost:${workerPort}` })).toBe(200)
    const response = await send('/nodes')
    expect(response.headers.get('access-control-allow-origin')).toBe(origin)
  })

  it('rejects a site whose name leads to this machine', async () => {
    const { port } = new URL(panel.script)
    for (const host of [`evil.example:${port}`, `127.0.0.1.evil.example:${port}`, '127.0.0.1']) {
      expect(await statusOf({ host, origin })).toBe(403)
    }
  })

  it('listens on one address of the loopback interface', async () => {
    const { port } = new URL(panel.script)
    await expect(fetch(`http://127.0.0.2:${port}/nodes`, { headers: { origin } })).rejects.toThrow(
      'fetch failed',
    )
  })
})
