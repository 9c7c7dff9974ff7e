import type { Context } from 'hono'
import { readBody } from './body.ts'
import { BadRequest } from './command.ts'
import type { Encoding } from './reply.ts'
import type { JsonResponse } from './run.ts'
import type { StreamResponse } from './subscribe.ts'
import { writeJson } from './write-json.ts'

/** Runs the commands in the body of a request. */
export type RunBody = (
  body: Uint8Array,
  encoding: Encoding,
  c: Context,
) => Promise<JsonResponse | StreamResponse>

/**
 * Creates the handler of one route. It responds with JSON: 405 to other methods, 413 to a body larger
 * than `maxBody` bytes, 400 to a request that is not a valid command, else the result of `run`, which
 * may also be a stream of events.
 */
export const endpoint = (methods: readonly string[], maxBody: number, run: RunBody) =>
  async function handle(c: Context): Promise<Response> {
    if (!methods.includes(c.req.method)) {
      c.header('allow', methods.join(', '))
      return c.json({ error: `ERR method not allowed: use ${methods.join(', ')}` }, 405)
    }
    if ((c.req.header('upstash-response-format') ?? 'json') !== 'json') {
      return c.json({ error: 'ERR only json is supported as Upstash-Response-Format' }, 400)
    }
    const body = await readBody(c.req.raw.body, maxBody, c.req.header('content-length'))
    if (!body) {
      return c.json({ error: `ERR max request size exceeded. Limit: ${maxBody} bytes` }, 413)
    }
    const encoding =
      c.req.header('upstash-encoding')?.toLowerCase() === 'base64' ? 'base64' : 'text'
    try {
      const result = await run(body, encoding, c)
      if ('events' in result) {
        c.header('content-type', 'text/event-stream')
        // Otherwise nginx would collect events before it passes them on.
        c.header('x-accel-buffering', 'no')
        return c.body(result.events)
      }
      if (result.retryAfter !== undefined) c.header('retry-after', String(result.retryAfter))
      c.header('content-type', 'application/json')
      return c.body(writeJson(result.body), result.status)
    } catch (error) {
      if (error instanceof BadRequest) return c.json({ error: error.message }, 400)
      throw error
    }
  }
