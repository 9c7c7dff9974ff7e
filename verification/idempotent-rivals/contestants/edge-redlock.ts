import { withIdempotency } from '../../../src/entries/idempotency.ts'
import { Redlock, type RestNodeOptions } from '../../../src/index.ts'
import type { Cluster } from '../../../tools/servers/cluster.ts'
import { type Contestant, makeLink } from '../contestant.ts'

/** The nodes of a process, behind its link. */
export const nodesOf = (
  { env }: Cluster,
  { pass }: ReturnType<typeof makeLink>,
): RestNodeOptions[] => {
  const passed: typeof fetch = (input, init) => pass(() => fetch(input, init))
  const servers = JSON.parse(env.REDLOCK_NODES) as RestNodeOptions[]
  return servers.map(({ url, token }) => ({ url, token, fetch: passed }))
}

export const edgeRedlock: Contestant = {
  name: 'edge-redlock',
  folder: undefined,
  lacks: {},
  open: async ({ cluster, handler, claimTtl, recordTtl }) => {
    const link = makeLink()
    const redlock = new Redlock({ nodes: nodesOf(cluster, link), warnings: false })
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
