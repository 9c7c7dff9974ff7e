import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { lock, lockOf, throttle } from '../../src/node/index.ts'
import { type Adapter, adapterTests, type Handle } from '../conformance/adapters.ts'
import { serve } from './serve.ts'

/** Writes a response as a handler of Node does. */
const write = async (response: Response, res: ServerResponse): Promise<void> => {
  res.writeHead(response.status, Object.fromEntries(response.headers))
  if (!response.body) return void res.end()
  const body = Readable.fromWeb(response.body as ReadableStream)
  // It ends early if the client leaves.
  await pipeline(body, res).catch(() => {})
}

const open = async (middleware: ReturnType<typeof lock>, handle: Handle) => {
  const port = await serve((req, res) =>
    middleware(req, res, async () => write(await handle(lockOf(req)), res)),
  )
  return (init?: RequestInit) => fetch(`http://127.0.0.1:${port}`, init)
}

const onNode: Adapter = {
  name: 'node:http',
  lock: (options, handle) => open(lock(options), handle),
  throttle: (options, handle) => open(throttle(options), handle),
}

adapterTests('Node', JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[], [onNode])
