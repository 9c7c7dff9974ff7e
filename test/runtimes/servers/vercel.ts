import { AsyncLocalStorage } from 'node:async_hooks'
import { serve } from '@hono/node-server'
import { handle } from 'hono/vercel'
import { app } from '../app.ts'

// What a Vercel function finds: no bindings and no execution context, but a context of the request
// in a global, which knows waitUntil. https://vercel.com/docs/functions/functions-api-reference
const works = new AsyncLocalStorage<Promise<unknown>[]>()
const context = {
  get: () => ({ waitUntil: (work: Promise<unknown>) => works.getStore()!.push(work) }),
}
Object.assign(globalThis, { [Symbol.for('@vercel/request-context')]: context })

const run = handle(app)
serve(
  { fetch: (request) => works.run([], () => run(request)), hostname: '127.0.0.1', port: 0 },
  ({ port }) => console.log(`listening on ${port}`),
)
