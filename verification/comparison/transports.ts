import { type Command, Redis } from 'ioredis'
import { type FaultyNode, pass } from './nodes.ts'

/**
 * An ioredis client whose commands go through the node's fault. `sendCommand` is the one method
 * that all of them pass, scripts included. What a connection needs to be set up is over by then.
 *
 * One connection keeps its order, as TCP does: a command that is held back holds back those after
 * it. `timeout` is what ioredis calls `commandTimeout`; it is counted here, so that the fault is
 * part of what it limits.
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
        // Both get what came over the wire. The original ones decode it, once the fault is through.
        command.resolve = done
        command.reject = fail
        void execute(command, stream)
        leave()
      })
    }
    const words = [command.name.toLowerCase(), ...command.args.map(String)]
    const timer =
      timeout && setTimeout(() => reject(new Error('Command timed out')), timeout).unref()
    pass(node, words, send)
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
 * A `fetch` whose requests go through the node's fault. Requests keep no order among each other,
 * and an aborted one is given up by the client only: what is on its way still arrives.
 */
export const restFetch =
  (node: FaultyNode, real: typeof fetch = fetch): typeof fetch =>
  async (input, init) => {
    const send = async (): Promise<Response> => {
      const response = await real(input, { ...init, signal: null })
      // Read here, so that the server is surely through before the fault goes on.
      return new Response(await response.text(), { status: response.status })
    }
    const reply = pass(node, wordsOf(init?.body), send).catch((cause: unknown) => {
      throw new TypeError('fetch failed', { cause })
    }) as Promise<Response>
    return init?.signal ? Promise.race([reply, aborted(init.signal)]) : reply
  }

const behindGlobalFetch = new Map<string, { node: FaultyNode; fetch: typeof fetch }>()
const realFetch = globalThis.fetch
let names = 0

/**
 * The same for a client that takes no `fetch`: gives the node an origin of its own, which from then
 * on the global `fetch` of this process leads through the fault to the real url.
 */
export const globalRoute = (node: FaultyNode): { url: string; close: () => void } => {
  const url = `http://node-${names++}.invalid`
  behindGlobalFetch.set(url, { node, fetch: restFetch(node, realFetch) })
  globalThis.fetch = (input, init) => {
    const asked = new URL(input instanceof Request ? input.url : String(input))
    const route = behindGlobalFetch.get(asked.origin)
    if (!route) return realFetch(input, init)
    return route.fetch(route.node.url + asked.pathname.replace(/^\/$/, ''), init)
  }
  return { url, close: () => behindGlobalFetch.delete(url) }
}
