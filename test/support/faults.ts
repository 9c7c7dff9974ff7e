import type { Operation, RestNodeOptions } from '../../src/index.ts'

/** Stands between a node and its server: gets the request, and `send` to let it through. */
export type Fault = (
  request: { body: string; signal: AbortSignal | undefined },
  send: () => Promise<Response>,
) => Promise<Response>

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

const aborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    if (signal?.aborted) reject(new Error('aborted'))
    else signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
  })

/** The commands of the request: one, or the several of a pipeline. */
const commandsOf = (body: string): unknown[][] => {
  const words = JSON.parse(body) as unknown[]
  return Array.isArray(words[0]) ? (words as unknown[][]) : [words]
}

/** EVALSHA or EVAL, script, how many keys, the keys, the arguments: the operation first. */
const operationOf = (words: unknown[]): unknown => words[3 + Number(words[2])]

/** The lock values that a request is about. */
export const valuesOf = (body: string): unknown[] =>
  commandsOf(body).map((words) => words[4 + Number(words[2])])

/** The server never gets the request, and nothing ever comes back. */
export const hang: Fault = ({ signal }) => aborted(signal)

/** The server does as it is told, and the reply gets lost on the way. */
export const loseReply: Fault = async (_, send) => {
  const response = await send()
  await response.text()
  throw new TypeError('fetch failed')
}

/** The connection is refused. */
export const refuse: Fault = () => Promise.reject(new TypeError('fetch failed'))

/** The way there takes up to so many ms, at random, but at least half of that. */
export const slow =
  (time: number): Fault =>
  async (_, send) => {
    await new Promise((resolve) => setTimeout(resolve, (time / 2) * (1 + Math.random())))
    return send()
  }

/** The server answers with this instead of what it was asked. */
export const answer =
  (body: string, init?: ResponseInit): Fault =>
  () =>
    Promise.resolve(new Response(body, init))

/** The fault for requests that do this operation, none for others. */
export const during =
  (operation: Operation, fault: Fault): Fault =>
  (request, send) =>
    commandsOf(request.body).some((words) => operationOf(words) === operation)
      ? fault(request, send)
      : send()

/** The fault for the first `count` requests, none for later ones. */
export const first = (count: number, fault: Fault): Fault => {
  let seen = 0
  return (request, send) => (seen++ < count ? fault(request, send) : send())
}

/** Holds requests back until `open()` is called; `arrived` tells how many came. */
export const gate = (): { fault: Fault; open: () => void; arrived: () => number } => {
  let open!: () => void
  let count = 0
  const opened = new Promise<void>((resolve) => (open = resolve))
  return {
    open,
    arrived: () => count,
    fault: async (_, send) => {
      count++
      await opened
      return send()
    },
  }
}
