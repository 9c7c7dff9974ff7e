import { Lock } from '@upstash/lock'
import { Redis } from '@upstash/redis'

type Database = { url: string; token: string }

export const runReport = async ([first]: Database[], make: () => Promise<string>) => {
  const retry = { attempts: 3, delay: 100 }
  // Its types expect the CommonJS type of the client, which is the same class.
  const redis = new Redis(first!) as unknown as ConstructorParameters<typeof Lock>[0]['redis']
  const lock = new Lock({ id: 'report', redis, lease: 5_000, retry })
  if (!(await lock.acquire())) throw new Error('locked')
  try {
    return await make()
  } finally {
    await lock.release()
  }
}
