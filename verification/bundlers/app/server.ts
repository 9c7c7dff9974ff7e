import { serve } from '@hono/node-server'
import { app } from './app.ts'

serve({ fetch: (request) => app(request), hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`listening on ${port}`),
)
