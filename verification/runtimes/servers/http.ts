import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Route, routes } from '../node-app.ts'

const routeOf = ({ method, url }: IncomingMessage): Route | undefined => {
  const name = url!.split(/[/?]/)[1]!
  const wanted = method === 'POST' ? 'post' : 'get'
  return routes.find((route) => route.method === wanted && route.path.split('/')[1] === name)
}

const answer = async (route: Route, req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const { status = 200, headers = {}, body } = await route.handle(req)
  res.writeHead(status, headers)
  if (body instanceof Readable) await pipeline(body, res)
  else res.end(body)
}

/** Calls a handler inside its middleware. */
const run = async (route: Route, req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const from = async (index: number): Promise<void> => {
    const middleware = route.middleware[index]
    await (middleware ? middleware(req, res, () => from(index + 1)) : answer(route, req, res))
  }
  await from(0)
}

const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const route = routeOf(req)
  try {
    if (route) await run(route, req, res)
    else res.writeHead(404).end()
  } catch {
    // After a response has begun, its connection can only be closed.
    if (res.headersSent) res.destroy()
    else res.writeHead(500).end('failed')
  }
}

const server = createServer((req, res) => void serve(req, res))
server.listen(0, '127.0.0.1', () =>
  console.log(`listening on ${(server.address() as AddressInfo).port}`),
)
