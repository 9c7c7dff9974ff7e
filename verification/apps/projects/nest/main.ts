import { Readable } from 'node:stream'
import {
  Body,
  Controller,
  Headers,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Post,
  Redirect,
  StreamableFile,
  UnprocessableEntityException,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { idempotent, lock, type NodeRequest, throttle } from 'edge-redlock/node'
import { failFirst, failLast, idempotency, order, pieces, protectedBy } from './work.js'

const keyOf = (req: NodeRequest): string => String(req.headers['idempotency-key'])

@Controller()
class Orders {
  @Post('return')
  async create(@Headers('idempotency-key') key: string, @Body('item') item: number) {
    return { item, order: await order(key) }
  }

  @Post('redirect')
  @Redirect('', 303)
  async redirect(@Headers('idempotency-key') key: string) {
    return { url: `/done?order=${await order(key)}` }
  }

  @Post('throw')
  async throw(@Headers('idempotency-key') key: string) {
    await failFirst(key)
    return { order: await order(key) }
  }

  @Post('replay')
  async replay(@Headers('idempotency-key') key: string) {
    return failLast(key)
  }

  @Post('stream')
  async stream(@Headers('idempotency-key') key: string) {
    return new StreamableFile(Readable.fromWeb(pieces(await order(key)) as never))
  }

  @Post('exception')
  async reject(@Headers('idempotency-key') key: string) {
    throw new UnprocessableEntityException(await order(key))
  }

  @Post(['lock', 'throttle'])
  async protected(@Headers('idempotency-key') key: string) {
    return { order: await order(key) }
  }
}

@Module({ controllers: [Orders] })
class App implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply(idempotent(idempotency))
      .forRoutes('return', 'redirect', 'throw', 'stream', 'exception')
    consumer.apply(idempotent({ ...idempotency, failures: 'replay' })).forRoutes('replay')
    consumer.apply(lock(protectedBy(keyOf))).forRoutes('lock')
    consumer.apply(throttle({ ...protectedBy(keyOf), window: 10_000 })).forRoutes('throttle')
  }
}

const app = await NestFactory.create(App)
await app.listen(Number(process.env.PORT), '127.0.0.1')
