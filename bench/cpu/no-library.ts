import { stubClient, stubFetch } from './stubs.ts'

/**
 * Acquires one key, and resolves to a lock that can be released. A library with an object per key creates it
 * beforehand.
 */
export type Acquire = () => Promise<{ readonly release: () => Promise<unknown> }>

// A cycle without any library, as an upper bound: it only sends requests and reads replies, without
// decisions, secrets or timeouts.

/** Acquires and releases on five clients simultaneously. */
export const bareNodes = (): ((key: string) => Acquire) => {
  const clients = Array.from({ length: 5 }, stubClient)
  return (key) => async () => {
    await Promise.all(clients.map((client) => client.set(key, 'secret', 'PX', 30_000, 'NX')))
    return {
      release: () => Promise.all(clients.map((client) => client.evalsha('sha', 1, key, 'secret'))),
    }
  }
}

const send = async (...words: unknown[]): Promise<unknown> => {
  const body = JSON.stringify(words)
  const response = await stubFetch('http://node.invalid', { method: 'POST', body })
  return JSON.parse(await response.text())
}

/** Sends the two requests of a cycle. */
export const bareFetch =
  () =>
  (key: string): Acquire =>
  async () => {
    await send('SET', key, 'secret', 'PX', 30_000, 'NX')
    return { release: () => send('EVALSHA', 'sha', 1, key, 'r', 'secret', '30000', '1', '0') }
  }
