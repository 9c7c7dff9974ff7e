import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { CachePersistenceLayer } from '@aws-lambda-powertools/idempotency/cache'
import { type Contestant, makeLink } from '../contestant.ts'
import { openCache, powertools } from '../contestants/powertools.ts'
import { functionInstance } from './instance.ts'

export const powertoolsFunction: Contestant = {
  ...powertools,
  name: 'Powertools `makeIdempotent`',
  lacks: { ...powertools.lacks, waiting: 'a call is refused while another one runs' },
  open: async ({ cluster, handler, claimTtl, recordTtl }) => {
    const link = makeLink()
    const { client, close } = await openCache(cluster, link)
    const config = new IdempotencyConfig({ expiresAfterSeconds: recordTtl / 1000 })
    const run = makeIdempotent(
      async (_key: string) => Buffer.from((await handler()).body).toString(),
      { persistenceStore: new CachePersistenceLayer({ client }), config },
    )
    const call = (key: string): Promise<string> => {
      // As documented, so that a call of a dead process ends.
      const end = Date.now() + claimTtl
      const context = { getRemainingTimeInMillis: () => end - Date.now() }
      config.registerLambdaContext(context as Parameters<typeof config.registerLambdaContext>[0])
      return run(key)
    }
    return functionInstance(link, call, close)
  },
}
