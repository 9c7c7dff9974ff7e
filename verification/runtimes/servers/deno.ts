import { app } from '../app.ts'

type Deno = { serve: (options: object, handler: (request: Request) => unknown) => void }

;(globalThis as unknown as { Deno: Deno }).Deno.serve(
  {
    hostname: '127.0.0.1',
    port: 0,
    onListen: ({ port }: { port: number }) => console.log(`listening on ${port}`),
  },
  (request) => app.fetch(request),
)
