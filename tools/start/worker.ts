import { AsyncLocalStorage } from 'node:async_hooks'
import app from '../../examples/submit/worker.ts'
import { parseReply, type ReplyTuple } from '../redis-wire.ts'
import type { RestNodeOptions } from '../../src/index.ts'

// The example for npm start. In addition, it stores each node's reply to a request, for the page. It intercepts the
// replies on the way from the nodes, because an accepted request does not report them.

/** The nodes' replies to the acquire of a request. */
type Votes = Map<string, string>

const maxRequests = 200
const requests = new Map<string, Votes>()
const current = new AsyncLocalStorage<Votes>()

const send = globalThis.fetch
globalThis.fetch = async (input, init) => {
  const response = await send(input, init)
  const votes = current.getStore()
  if (votes) {
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => undefined)
    const { result } = Object(body) as { result?: unknown }
    if (Array.isArray(result)) {
      const { echo, status } = parseReply(result as unknown as ReplyTuple)
      // Only the reply to an acquire is a vote: after a rejection, releases follow.
      if (echo.startsWith('a')) votes.set(new URL(input as string).origin, status)
    }
  }
  return response
}

const votesOf = (id: string, { REDLOCK_NODES }: Env): Response => {
  const votes = requests.get(id)
  if (!votes) return new Response(null, { status: 404 })
  const nodes = JSON.parse(REDLOCK_NODES) as RestNodeOptions[]
  return Response.json(nodes.map(({ url }) => votes.get(new URL(url).origin) ?? 'none'))
}

type Env = { readonly REDLOCK_NODES: string }
type ExecutionContext = Parameters<typeof app.fetch>[2]

export default {
  fetch: async (request: Request, env: Env, ctx: ExecutionContext): Promise<Response> => {
    const [, folder, id] = new URL(request.url).pathname.split('/')
    if (folder === 'votes') return votesOf(id ?? '', env)
    const votes: Votes = new Map()
    const own = crypto.randomUUID()
    requests.set(own, votes)
    // Remove the oldest requests first.
    for (const [old] of requests) if (requests.size > maxRequests) requests.delete(old)
    const response = await current.run(votes, () => app.fetch(request, env, ctx))
    const answer = new Response(response.body, response)
    answer.headers.set('x-vote', own)
    return answer
  },
}
