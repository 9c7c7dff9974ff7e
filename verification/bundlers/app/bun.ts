import { app } from './app.ts'

type Bun = { serve: (options: object) => { port: number } }

const { port } = (globalThis as unknown as { Bun: Bun }).Bun.serve({
  fetch: (request: Request) => app(request),
  hostname: '127.0.0.1',
  port: 0,
})
console.log(`listening on ${port}`)
