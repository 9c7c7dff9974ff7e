import { Ratelimit } from '@upstash/ratelimit'
import { Redis } from '@upstash/redis'

type Database = { url: string; token: string }

export const submitter = ([first]: Database[]) => {
  const limiter = Ratelimit.fixedWindow(1, '5 s')
  const ratelimit = new Ratelimit({ redis: new Redis(first!), limiter })
  return async (userId: string) => {
    const { success, reset } = await ratelimit.limit(userId)
    return success ? 'accepted' : `wait ${Math.ceil((reset - Date.now()) / 1_000)} s`
  }
}
