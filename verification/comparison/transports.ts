import { type Command, Redis } from 'ioredis'
import { type FaultyNode, sendThrough } from './nodes.ts'

/**
 * An ioredis client whose commands go through the node's fault. All of them, including scripts, pass through
 * `sendCommand`, which is replaced once the connection has been set up.
 *
 * Like TCP, a connection keeps its order: a delayed command delays those after it. `timeout` replaces the
 * `commandTimeout` of ioredis. It is implemented here, so that it also limits the fault.
 */
export const tcpClient = async (node: FaultyNode, timeout: number | undefined): Promise<Redis> => {
  const client = new Redis({ host: node.host, port: node.port, lazyConnect: true })
  client.on('error', () => {})
  await client.connect()
  const execute = client.sendCommand.bind(client)
  let turn: Promise<unknown> = Promise.resolve()

  client.sendCommand = (command: Command, stream) => {
    const { resolve, reject } = command
    let leave!: () => void
    const before = turn
    turn = Promise.all([before, new Promise<void>((done) => (leave = done))])
    const send = async (): Promise<unknown> => {
      await before
      return new Promise((done, fail) => {
        // Both receive the raw reply. The original callbacks decode it once it has passed the fault.
        command.resolve = done
        command.reject = fail
        void execute(command, stream)
        leave()
      })
    }
    const words = [command.name.toLowerCase(), ...command.args.map(String)]
    const timer =
      timeout && setTimeout(() => reject(new Error('Command timed out')), timeout).unref()
    sendThrough(node, words, send)
      .then(resolve, reject)
      .finally(() => {
        leave()
        clearTimeout(timer)
      })
    return command.promise
  }
  return client
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

const wordsOf = (body: unknown): string[] => {
  const parsed = JSON.parse(String(body)) as unknown[]
  const words = (Array.isArray(parsed[0]) ? parsed[0] : parsed).map(String)
  return [words[0]!.toLowerCase(), ...words.slice(1)]
}

/**
 * A `fetch` whose requests go through the node's fault. Requests may overtake each other. An aborted request still
 * reaches the server: only the client stops waiting.
 */
export const restFetch =
  (node: FaultyNode, real: typeof fetch = fetch): typeof fetch =>
  async (input, init) => {
    // A subscription has no body, and its response does not end.
    if (!init?.body) {
      const words = ['subscribe']
      return sendThrough(node, words, () => real(input, init)) as Promise<Response>
    }
    const send = async (): Promise<Response> => {
      const response = await real(input, { ...init, signal: null })
      // Read completely, so that the server has executed the request before the fault continues.
      return new Response(await response.text(), { status: response.status })
    }
    const reply = sendThrough(node, wordsOf(init.body), send).catch((cause: unknown) => {
      throw new TypeError('fetch failed', { cause })
    }) as Promise<Response>
    return init.signal ? Promise.race([reply, aborted(init.signal)]) : reply
  }

const routes = new Map<string, { node: FaultyNode; fetch: typeof fetch }>()
const realFetch = globalThis.fetch
let names = 0

/**
 * The same for a client without a `fetch` option: gives the node its own origin. From then on, the global `fetch` of
 * this process sends requests to that origin through the fault to the real URL.
 */
export const globalRoute = (node: FaultyNode): { url: string; close: () => void } => {
  const url = `http://node-${names++}.invalid`
  routes.set(url, { node, fetch: restFetch(node, realFetch) })
  globalThis.fetch = (input, init) => {
    const asked = new URL(input instanceof Request ? input.url : String(input))
    const route = routes.get(asked.origin)
    if (!route) return realFetch(input, init)
    return route.fetch(route.node.url + asked.pathname.replace(/^\/$/, ''), init)
  }
  return { url, close: () => routes.delete(url) }
}
