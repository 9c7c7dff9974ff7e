import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { getSharedIdempotencyService, idempotency } from 'express-idempotency'
import type { Contestant } from '../contestant.ts'

export const expressIdempotency: Contestant = {
  name: 'express-idempotency',
  folder: 'express-idempotency',
  lacks: {
    'shared store': 'it keeps answers in the memory of one process; an adapter is up to the user',
    'several servers': 'the memory of one process',
    expiry: 'answers never expire',
    'required key': 'a request without a key runs',
  },
  open: async ({ handler }) => {
    const app = express()
    app.use(express.text({ type: '*/*' }))
    const middleware = idempotency()
    app.post('*', (request, response, next) => void middleware(request, response, next))
    app.post('/orders', (request, response, next) => {
      // As in its README.
      if (getSharedIdempotencyService().isHit(request)) return
      const respond = async (): Promise<void> => {
        const { status, headers = {}, body } = await handler()
        response.status(status).set(headers).send(Buffer.from(body))
      }
      void respond().then(undefined, next)
    })
    // The status that the middleware sets before it passes an error on.
    app.use(((error, _request, response, next) => {
      if (response.headersSent) next(error)
      else response.status(response.statusCode < 400 ? 500 : response.statusCode).send('')
    }) satisfies express.ErrorRequestHandler)
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`
    const nothing = (): void => {}
    return {
      cut: nothing,
      refuse: nothing,
      mend: nothing,
      send: async ({ key, user, body = '' }) => {
        const headers = new Headers({ 'content-type': 'text/plain' })
        if (key !== undefined) headers.set('idempotency-key', key)
        if (user !== undefined) headers.set('x-user', user)
        const response = await fetch(url, { method: 'POST', body, headers })
        const bytes = new Uint8Array(await response.arrayBuffer())
        return { status: response.status, headers: response.headers, body: bytes }
      },
      close: async () => {
        server.closeAllConnections()
        server.close()
      },
    }
  },
}
