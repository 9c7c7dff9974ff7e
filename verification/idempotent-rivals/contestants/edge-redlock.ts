import { withIdempotency } from '../../../src/idempotency/index.ts'
import { Redlock, type RestNodeOptions } from '../../../src/index.ts'
import { type Contestant, makeLink } from '../contestant.ts'

export const edgeRedlock: Contestant = {
  name: 'edge-redlock',
  folder: undefined,
  lacks: {},
  open: async ({ cluster, handler, claimTtl, recordTtl }) => {
    const link = makeLink()
    const passed: typeof fetch = (input, init) => link.pass(() => fetch(input, init))
    const servers = JSON.parse(cluster.env.REDLOCK_NODES) as RestNodeOptions[]
    const nodes = servers.map(({ url, token }) => ({ url, token, fetch: passed }))
    const redlock = new Redlock({ nodes, warnings: false })
    const scope = (request: Request): string => request.headers.get('x-user') ?? 'user'
    const handle = withIdempotency({ redlock, scope, ttl: claimTtl, recordTtl }, async () => {
      const { status, headers, body } = await handler()
      return new Response(body as Uint8Array<ArrayBuffer>, { status, ...(headers && { headers }) })
    })
    return {
      ...link,
      send: async ({ key, user, body = '' }) => {
        const headers = new Headers({ 'content-type': 'text/plain' })
        if (key !== undefined) headers.set('idempotency-key', key)
        if (user !== undefined) headers.set('x-user', user)
        const init = { method: 'POST', body, headers }
        try {
          const response = await handle(new Request('http://localhost/orders', init))
          const bytes = new Uint8Array(await response.arrayBuffer())
          return { status: response.status, headers: response.headers, body: bytes }
        } catch {
          return { status: 500, headers: new Headers(), body: new Uint8Array() }
        }
      },
      close: async () => undefined,
    }
  },
}
