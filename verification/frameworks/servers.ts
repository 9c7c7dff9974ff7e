import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { NodeMiddleware, NodeRequest, NodeResponse } from '../../src/entries/node.ts'

// One handler behind one middleware in each framework, in the style of its documentation.

export type Middleware = NodeMiddleware<NodeRequest, NodeResponse>

/** Answers a request with the body that it returns, in the style of its framework, or directly through `res`. */
export type Handler = (
  req: IncomingMessage,
  res: ServerResponse,
) => Promise<string | Readable | undefined>

type Serving = {
  readonly server: Server
  readonly port: number
  readonly close: () => Promise<unknown>
}
type Listener = (req: IncomingMessage, res: ServerResponse) => unknown
type Next = (error?: unknown) => unknown

/** The packages are installed in this folder only, and not all of them have types. */
const load = async <T>(name: string): Promise<T> => (await import(name)) as T

const listen = async (server: Server): Promise<Serving> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): Promise<unknown> => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections?.()
    return closed
  }
  return { server, port: (server.address() as AddressInfo).port, close }
}

/** Sends the value that a handler returns, as a handler without a framework would. */
const respond = async (handler: Handler, req: IncomingMessage, res: ServerResponse) => {
  const body = await handler(req, res)
  if (typeof body === 'string') res.end(body)
  else if (body) await pipeline(body, res)
}

const listener =
  (middleware: Middleware, handler: Handler): Listener =>
  (req, res) => {
    const done = middleware(req, res, () => respond(handler, req, res))
    done?.catch(() => (res.headersSent ? res.destroy() : res.writeHead(500).end()))
  }

type ExpressApp = Listener & { use: (...args: readonly unknown[]) => unknown }

const express = (name: string) => async (middleware: Middleware, handler: Handler) => {
  const { default: create } = await load<{ default: () => ExpressApp }>(name)
  const app = create()
  app.use(middleware)
  app.use((req: IncomingMessage, res: ServerResponse, next: Next) => {
    // oxlint-disable-next-line promise/no-callback-in-promise -- Express 4 ignores promises.
    respond(handler, req, res).catch(next)
  })
  // oxlint-disable-next-line typescript/no-unused-vars -- Express counts the parameters.
  app.use((error: unknown, _req: unknown, res: ServerResponse, next: Next) =>
    res.headersSent ? next(error) : res.writeHead(500).end(),
  )
  return listen(createServer(app))
}

type FastifyReply = { readonly raw: ServerResponse; readonly hijack: () => unknown }
type FastifyApp = {
  readonly server: Server
  addHook: (name: string, hook: Middleware) => unknown
  removeAllContentTypeParsers: () => unknown
  addContentTypeParser: (type: string, parser: unknown) => unknown
  all: (path: string, handler: unknown) => unknown
  listen: (options: object) => Promise<string>
  close: () => Promise<unknown>
}

const fastify = (http2: boolean) => async (middleware: Middleware, handler: Handler) => {
  const { fastify: create } = await load<{ fastify: (options: object) => FastifyApp }>('fastify')
  const app = create({ http2, forceCloseConnections: true })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_req: unknown, _body: unknown, done: () => void) => done())
  app.addHook('onRequest', middleware)
  app.all('*', async (request: { raw: IncomingMessage }, reply: FastifyReply) => {
    const body = await handler(request.raw, reply.raw)
    if (body === undefined) reply.hijack()
    return body
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { server: app.server, port: Number(new URL(url).port), close: () => app.close() }
}

type KoaContext = {
  req: IncomingMessage
  request: NodeRequest
  res: ServerResponse
  body: unknown
  respond: boolean
}
type KoaApp = {
  use: (middleware: (ctx: KoaContext, next: () => Promise<void>) => unknown) => unknown
  on: (event: string, listener: () => void) => unknown
  callback: () => Listener
}

const koa = async (middleware: Middleware, handler: Handler) => {
  const { default: Koa } = await load<{ default: new () => KoaApp }>('koa')
  const app = new Koa()
  app.on('error', () => {})
  app.use((ctx, next) => middleware(ctx.request, ctx.res, next))
  app.use(async (ctx) => {
    ctx.res.statusCode = 200
    const body = await handler(ctx.req, ctx.res)
    if (body === undefined) ctx.respond = false
    else ctx.body = body
  })
  return listen(createServer(app.callback()))
}

type Event = { node: { req: IncomingMessage; res: ServerResponse }; _handled: boolean }
type H3 = {
  createApp: () => { use: (handler: unknown) => unknown }
  eventHandler: (handler: (event: Event) => unknown) => unknown
  fromNodeMiddleware: (middleware: Middleware) => unknown
  toNodeListener: (app: unknown) => Listener
}

const h3 = async (middleware: Middleware, handler: Handler) => {
  const { createApp, eventHandler, fromNodeMiddleware, toNodeListener } = await load<H3>('h3')
  const app = createApp()
  app.use(fromNodeMiddleware(middleware))
  app.use(
    eventHandler(async (event) => {
      const body = await handler(event.node.req, event.node.res)
      // oxlint-disable-next-line no-underscore-dangle -- how h3 marks that a handler has answered
      if (body === undefined) event._handled = true
      return body
    }),
  )
  return listen(createServer(toNodeListener(app)))
}

type Nest = {
  readonly NestFactory: {
    create: (
      module: object,
      options: object,
    ) => Promise<{
      use: (middleware: Middleware) => unknown
      listen: (port: number, host: string) => Promise<Server>
      close: () => Promise<unknown>
    }>
  }
}
type Decorate = (...args: readonly unknown[]) => (...target: readonly unknown[]) => void
type NestCommon = Readonly<Record<'Module' | 'Controller' | 'All' | 'Req' | 'Res', Decorate>>

const nest = async (middleware: Middleware, handler: Handler) => {
  await load('reflect-metadata')
  const { NestFactory } = await load<Nest>('@nestjs/core')
  const { All, Controller, Module, Req, Res } = await load<NestCommon>('@nestjs/common')
  class AppController {
    handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
      return respond(handler, req, res)
    }
  }
  // oxlint-disable-next-line typescript/no-extraneous-class -- a module of Nest
  class AppModule {}
  const { prototype } = AppController
  // Decorators are not erasable syntax.
  All('{*path}')(prototype, 'handle', Object.getOwnPropertyDescriptor(prototype, 'handle'))
  Req()(prototype, 'handle', 0)
  Res()(prototype, 'handle', 1)
  Controller()(AppController)
  Module({ controllers: [AppController] })(AppModule)
  const app = await NestFactory.create(AppModule, { logger: false, bodyParser: false })
  app.use(middleware)
  const server = await app.listen(0, '127.0.0.1')
  const close = (): Promise<unknown> => {
    server.closeAllConnections()
    return app.close()
  }
  return { server, port: (server.address() as AddressInfo).port, close }
}

type Framework = {
  readonly name: string
  readonly protocol: 1 | 2
  /** Whether its handler returns a promise to the middleware. */
  readonly tellsEnd?: true
  readonly serve: (middleware: Middleware, handler: Handler) => Promise<Serving>
}

export const frameworks: readonly Framework[] = [
  {
    name: 'node:http',
    protocol: 1,
    tellsEnd: true,
    serve: async (middleware, handler) => listen(createServer(listener(middleware, handler))),
  },
  {
    name: 'node:http2',
    protocol: 2,
    tellsEnd: true,
    serve: async (middleware, handler) =>
      listen(createHttp2Server(listener(middleware, handler) as never) as unknown as Server),
  },
  { name: 'Express 5', protocol: 1, serve: express('express') },
  { name: 'Express 4', protocol: 1, serve: express('express-4') },
  { name: 'Nest', protocol: 1, serve: nest },
  { name: 'Fastify', protocol: 1, serve: fastify(false) },
  { name: 'Fastify, HTTP/2', protocol: 2, serve: fastify(true) },
  { name: 'Koa', protocol: 1, tellsEnd: true, serve: koa },
  { name: 'h3', protocol: 1, serve: h3 },
]
