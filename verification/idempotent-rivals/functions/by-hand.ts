import { setTimeout as sleep } from 'node:timers/promises'
import { type Contestant, makeLink } from '../contestant.ts'
import { openCache } from '../contestants/powertools.ts'
import { functionInstance } from './instance.ts'

// The polling interval in ms, and how long a call waits for another one.
const [interval, wait] = [50, 10_000]

/** A handwritten solution: a claim with SET NX PX, and a key for the value, which the others poll. */
export const byHand: Contestant = {
  name: '`SET NX PX` and a poll',
  folder: undefined,
  lacks: { 'several servers': 'one server' },
  open: async ({ cluster, handler, claimTtl, recordTtl }) => {
    const link = makeLink()
    const { client, close } = await openCache(cluster, link)
    const runClaimed = async (key: string): Promise<string> => {
      try {
        const value = Buffer.from((await handler()).body).toString()
        await client.set(`value:${key}`, value, { PX: recordTtl })
        return value
      } finally {
        await client.del([`claim:${key}`])
      }
    }
    const call = async (key: string): Promise<string> => {
      const end = Date.now() + wait
      while (Date.now() < end) {
        const value = await client.get(`value:${key}`)
        if (value !== null) return value
        const claim = await client.set(`claim:${key}`, '1', { PX: claimTtl, NX: true })
        if (claim !== null) return runClaimed(key)
        await sleep(interval)
      }
      throw new Error('Another call still runs')
    }
    return functionInstance(link, call, close)
  },
}
