import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { Router } from '@koa/router'
import { idempotent, lock, throttle } from 'edge-redlock/node'
import Koa from 'koa'
import { failFirst, failLast, idempotency, order, pieces, protectedBy } from './work.js'

const keyOf = (req) => req.headers['idempotency-key']
const use = (middleware) => (ctx, next) => middleware(ctx.request, ctx.res, next)

const protect = use(idempotent(idempotency))
const create = async (ctx) => {
  ctx.status = 201
  ctx.body = { order: await order(keyOf(ctx.req)) }
}

const router = new Router()
  .post('/return', protect, async (ctx) => {
    const { item } = await json(ctx.req)
    ctx.status = 201
    ctx.body = { item, order: await order(keyOf(ctx.req)) }
  })
  .post('/redirect', protect, async (ctx) => {
    ctx.redirect(`/done?order=${await order(keyOf(ctx.req))}`)
  })
  .post('/throw', protect, async (ctx) => {
    await failFirst(keyOf(ctx.req))
    await create(ctx)
  })
  .post('/replay', use(idempotent({ ...idempotency, failures: 'replay' })), (ctx) =>
    failLast(keyOf(ctx.req)),
  )
  .post('/stream', protect, async (ctx) => {
    ctx.body = Readable.fromWeb(pieces(await order(keyOf(ctx.req))))
  })
  .post('/lock', use(lock(protectedBy(keyOf))), create)
  .post('/throttle', use(throttle({ ...protectedBy(keyOf), window: 10_000 })), create)

new Koa().use(router.routes()).listen(process.env.PORT, '127.0.0.1')
