import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { nameClient } from './words.ts'
import { commandOfRedlock } from './redlock-scripts.ts'
import { token, type World } from './world.ts'

// The published package `redlock`, over the servers of the simulation. A stand-in for ioredis sends its commands.

type Script = { readonly [name in `${'acquire' | 'release'}Script`]: (source: string) => string }
type Client = {
  readonly evalsha: (sha: string, keys: number, args: readonly string[]) => Promise<number>
}
type Redlock = {
  readonly acquire: (
    keys: readonly string[],
    ttl: number,
  ) => Promise<{ readonly release: () => Promise<unknown> }>
}
type Package = {
  readonly default: new (
    clients: readonly Client[],
    settings: { readonly retryCount: number },
    scripts: Script,
  ) => Redlock
}

const key = 'lock:l:report'
const ttl = 10_000
// Ms: as in the comparison of libraries.
const commandTimeout = 500

/** Starts a process with a client that tries once. The package loads late: only the site depends on it. */
const startRedlock = ({ begin, urls }: World) => {
  const { default: Redlock } = createRequire(import.meta.url)('redlock') as Package
  const { client, process, fetch } = begin()
  // In place of a random value, so that every recording is the same. It tells the recorder whose it is.
  const value = `c${client}x-of-redlock`
  const operations = new Map<string, 'a' | 'r'>()
  const learn = (operation: 'a' | 'r') => (source: string) => {
    operations.set(createHash('sha1').update(source).digest('hex'), operation)
    return source
  }
  const clientOf = (url: string): Client => ({
    evalsha: async (sha, _keys, [key = '']) => {
      const stop = new AbortController()
      const cancel = process.clock.setTimer(() => stop.abort(), commandTimeout)
      const body = commandOfRedlock(operations.get(sha)!, key, value, ttl)
      const headers = { authorization: `Bearer ${token}` }
      const init = {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: stop.signal,
      } as const
      try {
        const response = await fetch(url, init)
        const { result } = JSON.parse(await response.text()) as { result: readonly string[] }
        return result[1] === 'granted' ? 1 : 0
      } finally {
        cancel()
      }
    },
  })
  const scripts = { acquireScript: learn('a'), releaseScript: learn('r') }
  return { client, process, redlock: new Redlock(urls.map(clientOf), { retryCount: 0 }, scripts) }
}

/** A client of `redlock` gets the lock, works, and releases it. */
export const visitWithRedlock = async (world: World, at: number, work: number): Promise<void> => {
  const { notes } = world
  const { client, process, redlock } = startRedlock(world)
  await process.sleep(at)
  notes.state(client, 'asks')
  const lock = await redlock.acquire([key], ttl).catch(() => undefined)
  notes.state(client, lock ? 'holds' : 'rejected')
  notes.say(`${nameClient(client)} ${lock ? 'has a majority and holds the lock' : 'is rejected'}`)
  if (!lock) return
  await process.sleep(work)
  notes.state(client, 'done')
  // It throws when a majority has not released.
  await lock.release().catch(() => {})
}
