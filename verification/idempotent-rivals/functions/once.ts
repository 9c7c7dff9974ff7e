import { once } from '../../../src/entries/idempotency.ts'
import { Redlock } from '../../../src/index.ts'
import { type Contestant, makeLink } from '../contestant.ts'
import { nodesOf } from '../contestants/edge-redlock.ts'
import { functionInstance } from './instance.ts'

export const onceOfOurs: Contestant = {
  name: '`once`',
  folder: undefined,
  lacks: {},
  open: async ({ cluster, handler, claimTtl, recordTtl }) => {
    const link = makeLink()
    const redlock = new Redlock({ nodes: nodesOf(cluster, link), ttl: claimTtl, warnings: false })
    return functionInstance(link, (key) =>
      once(redlock, key, { keepFor: recordTtl }, async () =>
        Buffer.from((await handler()).body).toString(),
      ),
    )
  },
}
