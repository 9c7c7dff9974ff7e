import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { anyPort } from '../../tools/servers/free-port.ts'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  it,
  vi,
} from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { startWorker } from '../../tools/servers/worker.ts'
import { freshKey, holders, overRest } from '../support/nodes.ts'
import { checkTypes, installExamples, type InstalledExamples } from './installed.ts'
import { eventually } from '../support/eventually.ts'

// Runs every example as its README describes, on real servers: with the sources of this repository, and
// the one for plain Node with the package installed by its name. `npm start` runs the Worker of
// examples/submit, and test/tools tests that.

const REDLOCK_NODES = inject('REDLOCK_NODES')
const servers = overRest(JSON.parse(REDLOCK_NODES) as RestNodeOptions[])
const example = (path: string): string =>
  fileURLToPath(new URL(`../../examples/${path}`, import.meta.url))
const expectReleased = (key: string): Promise<void> =>
  vi.waitFor(
    async () => expect(await holders(servers, `lock:l:${key}`)).toEqual(servers.map(() => null)),
    5000,
  )

let installed: InstalledExamples
beforeAll(async () => void (installed = await installExamples()), 60_000)
afterAll(() => installed.remove())
beforeEach(() => vi.stubEnv('REDLOCK_NODES', REDLOCK_NODES))
afterEach(() => vi.unstubAllEnvs())

describe('the examples', () => {
  it('have correct types where the package is installed by its name', async () => {
    expect(await checkTypes(installed.directory)).toBe('')
  }, 60_000)

  it('import nothing from beside their folder', async () => {
    for (const file of globSync('examples/**/*.ts')) {
      const source = await readFile(file, 'utf8')
      expect(source).not.toMatch(/from '(?:\.\.\/)+(?:src|tools|test)/)
      expect(source).not.toMatch(/from 'edge-redlock[^']*\.ts'/)
    }
  })
})

describe('examples/vercel', () => {
  it('runs one report per course at a time', async () => {
    const { POST } = await import('../../examples/vercel/api/report.ts')
    const course = freshKey()
    const post = (): Promise<Response> =>
      POST(new Request(`https://example.com/api/report?course=${course}`, { method: 'POST' }))
    const statuses = (await Promise.all([post(), post(), post()])).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    await expectReleased(`report:${course}`)
    expect(await (await post()).json()).toMatchObject({ course })
  })

  it('accepts one submission per user and window, and none without a user', async () => {
    const { POST } = await import('../../examples/vercel/api/submit.ts')
    const post = (headers: Record<string, string>): Promise<Response> =>
      POST(new Request('https://example.com/api/submit', { method: 'POST', headers }))
    const user = freshKey()
    expect((await post({ 'x-user': user })).status).toBe(202)
    expect((await post({ 'x-user': user })).status).toBe(429)
    expect((await post({})).status).toBe(400)
  })
})

/** An event of API Gateway, payload 2.0. */
const eventOf = (id: string) => ({
  rawPath: `/reports/${id}`,
  requestContext: { http: { method: 'POST' } },
  pathParameters: { id },
})

describe('examples/lambda', () => {
  it('rebuilds a report, one request at a time, with a rising token, and leaves no lock', async () => {
    const { handler } = await import('../../examples/lambda/index.ts')
    const id = freshKey()
    const context = { getRemainingTimeInMillis: () => 10_000 }
    const rebuild = (): Promise<{ statusCode: number; body: string }> =>
      handler(eventOf(id), context)
    const answers = await Promise.all([rebuild(), rebuild()])
    const done = answers.find(({ statusCode }) => statusCode === 200)
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      200, 409,
    ])
    // The response waits for the release of a quorum, and no longer than a moment for the other nodes.
    await expect
      .poll(() => holders(servers, `lock:l:report:${id}`), { timeout: 10_000 })
      .toEqual(servers.map(() => null))
    const again = await rebuild()
    const tokenOf = ({ body }: { body: string }): number =>
      (JSON.parse(body) as { token: number }).token
    expect(tokenOf(again)).toBeGreaterThan(tokenOf(done!))
  })
})

describe('examples/node', () => {
  it('runs one request per account at a time, lets the second one wait, and stops on SIGTERM', async () => {
    const port = await anyPort()
    const child = execa(process.execPath, ['examples/node/server.ts'], {
      cwd: installed.directory,
      env: { REDLOCK_NODES, PORT: String(port) },
      reject: false,
    })
    const url = `http://127.0.0.1:${port}`
    await vi.waitFor(async () => expect((await fetch(url)).ok).toBe(true), 10_000)
    const id = freshKey()
    const close = (): Promise<Response> => fetch(`${url}/accounts/${id}/close`, { method: 'POST' })
    const both = await Promise.all([close(), close()])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    // One more request is in progress when the server gets the signal.
    const last = close()
    await eventually(async () =>
      expect(await holders(servers, `lock:l:account:${id}`)).not.toContain(null),
    )
    child.kill('SIGTERM')
    expect(await (await last).json()).toEqual({ closed: id, held: true })
    expect((await child).exitCode).toBe(0)
    await expectReleased(`account:${id}`)
  }, 30_000)
})

describe('examples/queue', () => {
  it('holds the lock from the request to the end of the job in the consumer', async () => {
    const worker = await startWorker({
      variables: { REDLOCK_NODES },
      config: example('queue/wrangler.toml'),
      // A free port instead of the default one, since other tests run at the same time.
      port: 0,
    })
    try {
      const id = freshKey()
      const ask = (): Promise<Response> => fetch(`${worker.url}/reports/${id}`, { method: 'POST' })
      expect((await ask()).status).toBe(202)
      expect((await ask()).status).toBe(409)
      // Its ttl is a minute, so it is the consumer that has released it.
      await vi.waitFor(
        async () =>
          expect(await holders(servers, `lock:l:report:${id}`)).toEqual(servers.map(() => null)),
        { timeout: 15_000, interval: 100 },
      )
      expect((await ask()).status).toBe(202)
    } finally {
      await worker.stop()
    }
  }, 90_000)
})

describe('examples/durable-objects', () => {
  it('has one winner of two, again and again, with nothing but wrangler', async () => {
    const config = example('durable-objects/wrangler.jsonc')
    const worker = await startWorker({ variables: {}, config, port: 0 })
    const post = (path: string, user = ''): Promise<Response> =>
      fetch(worker.url + path, { method: 'POST', headers: { 'x-user': user } })
    const statuses = async (responses: readonly Promise<Response>[]): Promise<number[]> =>
      (await Promise.all(responses)).map(({ status }) => status).toSorted((a, b) => a - b)
    try {
      for (let burst = 0; burst < 50; burst++) {
        const submit = (): Promise<Response> => post('/assignments/7/submit', `user-${burst}`)
        expect(await statuses([submit(), submit()])).toEqual([202, 429])
      }
      expect((await post('/assignments/7/submit')).status).toBe(401)
      const id = freshKey()
      expect(await statuses([post(`/reports/${id}`), post(`/reports/${id}`)])).toEqual([200, 409])
      const tokens: number[] = []
      await eventually(async () => {
        const response = await post(`/reports/${id}`)
        expect(response.status).toBe(200)
        tokens.push(((await response.json()) as { token: number }).token)
        expect(tokens.length).toBeGreaterThan(1)
      })
      expect(tokens[1]).toBeGreaterThan(tokens[0]!)
    } finally {
      await worker.stop()
    }
  }, 90_000)
})
