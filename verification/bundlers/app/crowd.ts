import { Redlock, type RestNodeOptions } from '../../../src/index.ts'
import { withLock } from '../../../src/entries/fetch.ts'
import { withIdempotency } from '../../../src/entries/idempotency.ts'

// Requests for one lock at the same moment. Each has its own client, as on an edge platform.

/** The requests of a crowd. */
export const crowdSize = 3
// How long the first one holds the lock once all of them have arrived, in ms, so that the others are rejected.
const holdTime = 150

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** How many requests of each crowd have arrived. */
const arrived = new Map<string, number>()

/** The work that must not overlap. It begins when the whole crowd has arrived. */
const work = async (crowd: string): Promise<Response> => {
  const began = Date.now()
  while (arrived.get(crowd)! < crowdSize) await sleep(5)
  await sleep(holdTime)
  return Response.json({ began, ended: Date.now(), run: crypto.randomUUID() }, { status: 201 })
}

type Handler = (request: Request) => Promise<Response>

const handlers: Readonly<
  Record<string, (redlock: Redlock, key: string, work: () => Promise<Response>) => Handler>
> = {
  'using with wait': (redlock, key, run) => () => redlock.using(key, { wait: 15_000 }, run),
  'using with its default retries': (redlock, key, run) => () => redlock.using(key, run),
  'withLock with wait': (redlock, key, run) => withLock({ redlock, key, wait: 15_000 }, run),
  'withIdempotency with wait': (redlock, key, run) =>
    withIdempotency({ redlock, scope: () => key, wait: 15_000 }, run),
}

/** The kinds of crowds. */
export const crowdKinds: readonly string[] = Object.keys(handlers)

/** Answers one request of a crowd. */
export const crowd = async (
  kind: string,
  key: string,
  nodes: readonly RestNodeOptions[],
  request: Request,
): Promise<Response> => {
  arrived.set(key, (arrived.get(key) ?? 0) + 1)
  const redlock = new Redlock({ nodes, warnings: false })
  try {
    return await handlers[kind]!(redlock, key, () => work(key))(request)
  } catch (error) {
    return new Response(String(error), { status: 500 })
  }
}
