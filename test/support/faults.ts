import type { RestNodeOptions } from '../../src/index.ts'
import type { Operation } from '../../tools/redis-wire.ts'
import { delayRequest, type Fault as AnyFault, hangUntilAborted, when } from '../../tools/faults.ts'

export { first, gate } from '../../tools/faults.ts'

/** Stands between a node and its server. */
export type Fault = AnyFault<{ body: string; signal: AbortSignal | undefined }, Response>

/** The node, with each of its requests going through the fault. */
export const withFault = (
  node: RestNodeOptions,
  fault: Fault,
): RestNodeOptions & { readonly fetch: typeof fetch } => ({
  ...node,
  fetch: (url, init) => {
    const request = { body: init?.body as string, signal: init?.signal ?? undefined }
    return fault(request, () => fetch(url, init))
  },
})

/** The commands of the request: one, or the several of a pipeline. */
const commandsOf = (body: string): unknown[][] => {
  const words = JSON.parse(body) as unknown[]
  return Array.isArray(words[0]) ? (words as unknown[][]) : [words]
}

/** The operation: the first argument after EVALSHA, the script, the number of keys and the keys. */
const operationOf = (words: unknown[]): unknown => words[3 + Number(words[2])]

/** The lock values in a request. */
export const valuesOf = (body: string): unknown[] =>
  commandsOf(body).map((words) => words[4 + Number(words[2])])

/** The server never gets the request, and no reply ever comes. */
export const hang: Fault = hangUntilAborted

/** The server executes the request, and the reply gets lost. */
export const loseReply: Fault = async (_, send) => {
  const response = await send()
  await response.text()
  throw new TypeError('fetch failed')
}

/** The connection is refused. */
export const reject: Fault = () => Promise.reject(new TypeError('fetch failed'))

/** Each request takes a random time to the server: between half of `time` and `time` ms. */
export const slow = (time: number): Fault => delayRequest(() => (time / 2) * (1 + Math.random()))

/** The server replies with this, whatever the request. */
export const answer =
  (body: string, init?: ResponseInit): Fault =>
  () =>
    Promise.resolve(new Response(body, init))

/** The fault for requests with this operation, none for others. */
export const during = (operation: Operation, fault: Fault): Fault =>
  when(({ body }) => commandsOf(body).some((words) => operationOf(words) === operation), fault)

/** A network that can be cut: requests then hang, until it is mended. */
export const cutter = () => {
  let isCut = false
  const fault: Fault = (request, send) => (isCut ? hang(request, send) : send())
  return { fault, cut: () => void (isCut = true), mend: () => void (isCut = false) }
}
