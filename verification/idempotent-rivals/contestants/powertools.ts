import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { CachePersistenceLayer } from '@aws-lambda-powertools/idempotency/cache'
import { createClient } from 'redis'
import type { Cluster } from '../../../tools/servers/cluster.ts'
import { type Contestant, makeLink } from '../contestant.ts'

type Event = { readonly headers: Record<string, string>; readonly body: string }
type Result = {
  readonly statusCode: number
  readonly headers: Record<string, string>
  readonly body: string
  readonly isBase64Encoded: boolean
}

/** The status for each error of the library, as its documentation maps them. */
const statusOf = (error: unknown): number => {
  const { name } = Object(error) as { name?: string }
  if (name === 'IdempotencyAlreadyInProgressError') return 409
  if (name === 'IdempotencyValidationError' || name === 'IdempotencyKeyError') return 400
  return 500
}

/** A client of the first server, behind the link of its process. */
export const openCache = async (cluster: Cluster, { pass }: ReturnType<typeof makeLink>) => {
  const client = createClient({ url: `redis://127.0.0.1:${cluster.nodes[0]!.redis!.port}` })
  client.on('error', () => {})
  await client.connect()
  return {
    client: {
      get: (name: string) => pass(() => client.get(name)),
      del: (names: string[]) => pass(() => client.del(names)),
      set: (name: string, value: string, options: object) =>
        pass(() => client.set(name, value, options)),
    },
    close: async () => client.destroy(),
  }
}

export const powertools: Contestant = {
  name: 'Powertools',
  folder: '@aws-lambda-powertools/idempotency',
  lacks: { 'several servers': 'one server' },
  open: async ({ cluster, handler, claimTtl, recordTtl, about }) => {
    const link = makeLink()
    const { client, close } = await openCache(cluster, link)
    const handle = makeIdempotent(
      async (_event: Event, _context: object): Promise<Result> => {
        const { status, headers = {}, body } = await handler()
        if (status >= 500) throw new Error('failed')
        const encoded = Buffer.from(body).toString('base64')
        return { statusCode: status, headers, body: encoded, isBase64Encoded: true }
      },
      {
        persistenceStore: new CachePersistenceLayer({ client }),
        config: new IdempotencyConfig({
          // Its documentation describes both options. Each would fail other rows: a list hides a missing key, and a
          // validation prevents replays from the cache.
          eventKeyJmesPath:
            about === 'users'
              ? '[headers."x-user", headers."idempotency-key"]'
              : 'headers."idempotency-key"',
          ...(about === 'payload' && { payloadValidationJmesPath: 'body' }),
          throwOnNoIdempotencyKey: true,
          expiresAfterSeconds: recordTtl / 1000,
        }),
      },
    )
    return {
      ...link,
      send: async ({ key, user = 'user', body = '' }) => {
        const headers = { 'x-user': user, ...(key !== undefined && { 'idempotency-key': key }) }
        const end = Date.now() + claimTtl
        const context = { getRemainingTimeInMillis: () => end - Date.now() }
        try {
          const result = await handle({ headers, body }, context)
          return {
            status: result.statusCode,
            headers: new Headers(result.headers),
            body: new Uint8Array(Buffer.from(result.body, 'base64')),
          }
        } catch (error) {
          return { status: statusOf(error), headers: new Headers(), body: new Uint8Array() }
        }
      },
      close,
    }
  },
}
