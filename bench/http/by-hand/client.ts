import { Agent, request } from 'node:http'

/** The load of one turn. */
export type Turn = {
  readonly url: string
  readonly status: number
  readonly connections: number
  readonly requests: number
}

/** The duration of a turn in ms, and the number of requests without a response or with another status. */
export type TurnResult = { readonly duration: number; readonly failed: number }

// The connections stay open from turn to turn.
const agent = new Agent({ keepAlive: true })

/** Whether the response has this status. */
const isAnswered = (url: string, status: number): Promise<boolean> =>
  new Promise((resolve) => {
    const failed = (): void => resolve(false)
    const sent = request(url, { agent }, (response) => {
      response.on('end', () => resolve(response.statusCode === status)).on('error', failed)
      response.resume()
    })
    sent.on('error', failed).end()
  })

/**
 * Sends requests on all connections, one after the other on each. It runs in a separate thread, so that the servers
 * of the bench do not wait for it. The thread also keeps its code compiled from turn to turn.
 */
const takeTurn = async ({ url, status, connections, requests }: Turn): Promise<TurnResult> => {
  let left = requests
  let failed = 0
  const connection = async (): Promise<void> => {
    while (left-- > 0) if (!(await isAnswered(url, status))) failed++
  }
  const begin = performance.now()
  await Promise.all(Array.from({ length: connections }, connection))
  return { duration: performance.now() - begin, failed }
}

// The thread pool calls the default export of a module.
export default takeTurn
