import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  idempotent,
  lock,
  lockOf,
  type NodeMiddleware,
  type NodeRequest,
  type NodeResponse,
  throttle,
} from '../../src/entries/node.ts'
import { Redlock, type RestNodeOptions } from '../../src/index.ts'
import { command } from '../../tools/servers/node-commands.ts'
import { core } from './core.ts'
import { entries } from './entries.ts'

// The app of the Node servers, with the same paths as `app.ts` but without a framework. Each server passes the
// middleware to its framework, and sends the answers in its own way.

type Middleware = NodeMiddleware<NodeRequest, NodeResponse>

/** The answer of a handler. */
type Answer = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer | Readable
}

/** A route of one method, with its middleware and its handler. */
export type Route = {
  readonly method: 'get' | 'post'
  readonly path: string
  readonly middleware: readonly Middleware[]
  readonly handle: (req: NodeRequest) => Answer | Promise<Answer>
  /** Whether the server parses the body before the middleware. Default: after it. */
  readonly isParsedBefore?: true
}

const nodes = JSON.parse(process.env.REDLOCK_NODES!) as RestNodeOptions[]
const redlock = new Redlock({ nodes, ttl: 3000 })
const other = new Redlock({ nodes, ttl: 3000 })
const unreachable = new Redlock({
  nodes: [1, 2, 3].map((port) => ({ url: `http://127.0.0.1:${port}`, token: 't' })),
  warnings: false,
})

const urlOf = (req: NodeRequest): URL => new URL(req.url!, 'http://127.0.0.1')
const key = (req: NodeRequest): string => urlOf(req).pathname.split('/').at(-1)!
const number = (req: NodeRequest, name: string): number =>
  Number(urlOf(req).searchParams.get(name) ?? 0)
const text = (body: string): Answer => ({ headers: { 'content-type': 'text/plain' }, body })

/** Leaves a note for the test on the first node, because the client may have disconnected. */
const note = (req: NodeRequest, name: string, value: string): Promise<unknown> =>
  command(nodes[0]!, 'SET', `${name}:${key(req)}`, value, 'EX', 60)

/** A stream of `count` pieces of `size` bytes, one every `every` ms; endless without a count. */
const pieces = (size: number, every: number, count = Infinity): Readable =>
  Readable.from(
    (async function* piece() {
      for (let sent = 0; sent < count; sent++) {
        if (every) await sleep(every)
        yield Buffer.alloc(size, '.')
      }
    })(),
  )

/** A lock whose options are in the query. */
const locked: Middleware = (req, res, next) => {
  const releaseAfter = urlOf(req).searchParams.get('release') === 'response' ? 'response' : 'body'
  const options = { redlock, key, releaseAfter, wait: number(req, 'wait') } as const
  const ttl = number(req, 'ttl')
  return lock(ttl ? { ...options, ttl } : options)(req, res, next)
}

const get = (name: string, handle: Route['handle'], ...middleware: Middleware[]): Route => ({
  method: 'get',
  path: `/${name}/:key`,
  middleware,
  handle,
})

const broken = async function* broken(): AsyncGenerator<Buffer> {
  yield Buffer.alloc(100)
  throw new Error('the source broke')
}

const countIf = ({ ok }: Response): boolean => ok

const parsed = {
  method: 'post',
  middleware: [idempotent({ redlock, scope: () => 'user' })],
  handle: (req: NodeRequest): Answer => ({
    status: 201,
    body: `${(req as { body?: { list: unknown[] } }).body?.list.length} ${crypto.randomUUID()}`,
  }),
} as const

export const routes: readonly Route[] = [
  { method: 'get', path: '/', middleware: [], handle: () => text('ready') },
  get(
    'run',
    async (req) => {
      await sleep(number(req, 'ms'))
      const held = `${lockOf(req)?.held}`
      await note(req, 'ran', held)
      return text(held)
    },
    locked,
  ),
  get(
    'early',
    () => text('late'),
    locked,
    // Middleware that answers without a handler.
    (_req, res) =>
      void ('raw' in res ? (res.raw as ServerResponse) : (res as ServerResponse)).end('early'),
  ),
  get(
    'error',
    () => {
      throw new Error('a mistake')
    },
    locked,
  ),
  get(
    'string',
    () => {
      // Not an Error, on purpose.
      throw 'a mistake'
    },
    locked,
  ),
  get('status', (req) => ({ status: number(req, 'status') }), locked),
  get(
    'stream',
    (req) => ({ body: pieces(100, number(req, 'every'), number(req, 'count')) }),
    locked,
  ),
  get('broken', () => ({ body: Readable.from(broken()) }), locked),
  get('endless', (req) => ({ body: pieces(50_000, number(req, 'every')) }), locked),
  get('nested', (req) => text(`${lockOf(req)?.held}`), locked, locked),
  get('throttle', () => text('passed'), throttle({ redlock, key, window: 20_000 })),
  get(
    'throttle-keep',
    (req) => ({ status: number(req, 'status'), body: '' }),
    throttle({ redlock, key, window: 20_000, countIf }),
  ),
  get('unavailable', () => text('passed'), lock({ redlock: unreachable, key })),
  get(
    'open',
    (req) => text(lockOf(req) ? 'locked' : 'no lock'),
    lock({ redlock: unreachable, key, failOpen: true }),
  ),
  {
    method: 'post',
    path: '/idempotent/:key',
    middleware: [idempotent({ redlock, scope: () => 'user' })],
    handle: async (req) => {
      await note(req, 'began', 'true')
      await sleep(number(req, 'ms'))
      await note(req, 'ran', `${lockOf(req)?.held}`)
      const status = number(req, 'status')
      if (status) return { status, body: 'failed' }
      // No two runs return the same answer, and no text has these bytes.
      const bytes = crypto.getRandomValues(Buffer.alloc(300)).fill(255, 0, 10)
      const headers = { 'set-cookie': 'session=1', 'content-type': 'application/octet-stream' }
      return { status: 201, headers, body: bytes }
    },
  },
  { ...parsed, path: '/parsed-before/:key', isParsedBefore: true },
  { ...parsed, path: '/parsed-after/:key' },
  {
    method: 'get',
    path: '/core/:name/:key',
    middleware: [],
    handle: async (req) => {
      const works: Promise<unknown>[] = []
      const waitUntil = (work: Promise<unknown>): void => void works.push(work)
      const name = decodeURIComponent(urlOf(req).pathname.split('/')[2]!)
      const body = await { ...core, ...entries }[name]!({
        redlock,
        other,
        key: key(req),
        waitUntil,
      })
      await Promise.all(works)
      return text(body)
    },
  },
]
