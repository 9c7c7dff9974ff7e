import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import express, { type ErrorRequestHandler } from 'express'
import { routes } from '../node-app.ts'

const app = express()
const parsers = [express.json(), express.text()]
for (const { method, path, middleware, handle, isParsedBefore } of routes) {
  const stack = isParsedBefore ? [...parsers, ...middleware] : [...middleware, ...parsers]
  // oxlint-disable-next-line typescript/no-misused-promises -- Express 5 takes a promise.
  app[method](path, ...stack, async (req, res) => {
    const { status = 200, headers = {}, body } = await handle(req)
    res.status(status).set(headers)
    if (!(body instanceof Readable)) res.send(body)
    // A disconnect of the client is not an error of the handler.
    else
      await pipeline(body, res).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
      })
  })
}
const onError: ErrorRequestHandler = (_error, _req, res, next) => {
  // After a response has begun, its connection can only be closed.
  if (res.headersSent) next(_error)
  else res.status(500).send('failed')
}
app.use(onError)

const server = app.listen(0, '127.0.0.1', () =>
  console.log(`listening on ${(server.address() as AddressInfo).port}`),
)
