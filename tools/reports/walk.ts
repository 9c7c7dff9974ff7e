import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Hono } from 'hono'
import { lock } from '../../src/entries/hono.ts'
import { idempotent } from '../../src/entries/idempotency.ts'
import { Redlock, type RestNodeOptions } from '../../src/index.ts'
import { findScript, runScript } from '../redis-wire.ts'

// Counts the files of src through which one request passes, that is, whose functions run until all work of the request
// has ended. A reader who follows the request has to open all of these files. Emulated servers are not counted. The
// figure is only reported.

/** Creates a REST node with an emulated server. */
const restNode = (name: string): RestNodeOptions => {
  const server = { entries: new Map(), now: Date.now, run: () => `run_id:${name}` }
  const answer: typeof fetch = async (_url, init) => {
    const [, sha, count, ...rest] = JSON.parse(init!.body as string) as [string, string, number]
    const texts: string[] = rest
    const [keys, args] = [texts.slice(0, count), texts.slice(count)]
    const result = runScript(server, findScript(sha)!, keys, args)
    return Response.json({ result })
  }
  return { url: `https://${name}.example`, token: 'secret', fetch: answer }
}

const redlock = new Redlock({ nodes: ['a', 'b', 'c'].map(restNode) })
const works: Promise<unknown>[] = []
const context = {
  waitUntil: (work: Promise<unknown>): void => void works.push(work),
  passThroughOnException: (): void => {},
  props: {},
}

const app = new Hono()
  .post('/lock', lock({ redlock, key: 'report' }), (c) => c.text('done'))
  .post('/idempotent', idempotent({ redlock, scope: () => 'ada' }), (c) => c.text('done'))

/** Sends a request, and waits until all of its work has ended. */
const send = async (path: string): Promise<void> => {
  const headers = { 'idempotency-key': `"${crypto.randomUUID()}"` }
  const response = await app.request(path, { method: 'POST', headers, body: '{}' }, {}, context)
  if ((await response.text()) !== 'done') throw new Error(`${path}: ${response.status}`)
  for (const work of works) await work
}

/** Returns the files whose functions run during a call. */
const crossedBy = async (run: () => Promise<void>): Promise<string[]> => {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await run()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  return result
    .filter(
      ({ url, functions }) =>
        url.startsWith('file:') && functions.some(({ ranges }) => ranges[0]!.count > 0),
    )
    .map(({ url }) => relative(process.cwd(), fileURLToPath(url)))
    .filter((file) => /^src\/(?!memory)/.test(file))
    .sort()
}

const requests = [
  { name: 'lock()', path: '/lock' },
  { name: 'idempotent()', path: '/idempotent' },
]

/** The number of files of src through which a request passes, for a lock and for an idempotent request. */
export const walk = async (): Promise<readonly (readonly [what: string, files: number])[]> => {
  const counts: (readonly [string, number])[] = []
  for (const { name, path } of requests) {
    // Send an uncounted request first, because the first request also does the work of starting up.
    await send(path)
    const files = await crossedBy(() => send(path))
    counts.push([`files that ${name} crosses`, files.length])
  }
  return counts
}
