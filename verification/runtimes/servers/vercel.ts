import { AsyncLocalStorage } from 'node:async_hooks'
import { serve } from '@hono/node-server'
import { handle } from 'hono/vercel'
import { app } from '../app.ts'

// The environment of a Vercel function: no bindings and no execution context, but a global that
// returns the context of the request. https://vercel.com/docs/functions/functions-api-reference
type RequestContext = { readonly waitUntil: (work: Promise<unknown>) => void }
const contexts = new AsyncLocalStorage<RequestContext>()
const context = { get: () => contexts.getStore() }
Object.assign(globalThis, { [Symbol.for('@vercel/request-context')]: context })

const run = handle(app)
// Work continues on its own, because the process stays up.
const requestContext = { waitUntil: () => {} }
serve(
  {
    fetch: (request) => contexts.run(requestContext, () => run(request)),
    hostname: '127.0.0.1',
    port: 0,
  },
  ({ port }) => console.log(`listening on ${port}`),
)
