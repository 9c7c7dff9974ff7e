import { app } from '../app.ts'

// Runs inside the edge runtime. A server there is an event listener.
type FetchEvent = {
  request: Request
  respondWith: (response: Response | Promise<Response>) => void
  waitUntil: (work: Promise<unknown>) => void
  passThroughOnException: () => void
  props: object
}
const { REDLOCK_NODES, addEventListener } = globalThis as unknown as {
  REDLOCK_NODES: string
  addEventListener: (type: 'fetch', listener: (event: FetchEvent) => void) => void
}
addEventListener('fetch', (event) =>
  event.respondWith(app.fetch(event.request, { REDLOCK_NODES }, event)),
)
