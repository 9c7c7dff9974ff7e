import { type Lock, Redlock, type RestNodeOptions } from '../../src/index.ts'
import { systemClock } from '../../src/util/clock.ts'
import { distantFetch } from '../shared/distance.ts'

// Clients at a distance from the servers, which record whether each fencing token cost a request.

/** A fencing token; `isFree` if it cost no extra request. */
export type Token = { readonly token: number; readonly isFree: boolean }

/** A client whose clock differs from the clocks of the others. */
export type FenceClient = {
  readonly redlock: Redlock
  readonly fence: (lock: Lock) => Promise<Token>
}

const maxSkew = 20
const ttl = 30_000

/** Opens a client with a clock that is up to 20 ms ahead. */
export const openClient = (nodes: readonly RestNodeOptions[]): FenceClient => {
  let requests = 0
  const counting = distantFetch((body) => {
    const words = JSON.parse(body as string) as unknown[]
    if (words[3 + Number(words[2])] === 'e') requests++
  })
  const skew = Math.round(maxSkew * Math.random())
  const redlock = new Redlock({
    nodes: nodes.map(({ url, token }) => ({ url, token, fetch: counting })),
    localQueue: false,
    advanced: { clock: { ...systemClock, wall: () => Date.now() + skew } },
  })
  const fence = async (lock: Lock): Promise<Token> => {
    const before = requests
    const token = await lock.fencingToken()
    return { token, isFree: requests === before }
  }
  return { redlock, fence }
}

/** Acquires the lock `count` times, one after the other. */
export const acquireInTurn = async (
  { redlock, fence }: FenceClient,
  key: string,
  count: number,
  tokens: Token[],
): Promise<void> => {
  for (let turn = 0; turn < count; turn++) {
    const lock = await redlock.acquire(key, { ttl, wait: 120_000 })
    tokens.push(await fence(lock))
    await lock.release()
  }
}

/** All clients acquire at the same moment. One gets the lock, or several in turn. */
export const acquireAtOnce = async (
  clients: readonly FenceClient[],
  key: string,
  tokens: Token[],
): Promise<void> => {
  await Promise.all(
    clients.map(async ({ redlock, fence }) => {
      const result = await redlock.tryAcquire(key, { ttl })
      if (!result.ok) return
      tokens.push(await fence(result.lock))
      await result.lock.release()
    }),
  )
}
