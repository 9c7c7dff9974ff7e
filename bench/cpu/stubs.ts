import type { Redis } from 'ioredis'
import type { LockNode, ScriptCall } from '../../src/index.ts'
import { echoOf, writeReply } from '../../src/protocol/reply.ts'

// What answers at once with what each library takes for a yes, and does nothing else: equally cheap
// for all. None of them keeps anything.

type Args = ScriptCall['args']

/** What a reply begins with. Made once for the nodes of a round, since it is no work of the lock. */
let last: { readonly args: Args; readonly echo: string } | undefined
const cachedEchoOf = (args: Args): string => {
  if (last?.args !== args) last = { args, echo: echoOf(args) }
  return last.echo
}

const grant = (echo: string, counter: number, identity: string | undefined): unknown =>
  writeReply({ echo, status: 'granted', left: 10_000, holder: '', counter, identity })

/** A node of this project. It tells its identity when it is asked for it, like any other. */
export const stubNode = (name: string): LockNode => ({
  name,
  run: async ({ args }) => grant(cachedEchoOf(args), 1, args[5]),
})

type Callback = (error: null, reply: unknown) => void

/**
 * An ioredis client, as far as the libraries use it. One key was locked, or deleted: 1. Redlock 4
 * passes a callback, which ioredis calls later as well.
 */
export const stubClient = (): Redis => {
  const client = {
    set: async () => 'OK',
    script: async () => 'sha',
    evalsha: async (_sha: string, _count: unknown, callback?: unknown) => {
      if (typeof callback === 'function') queueMicrotask(() => (callback as Callback)(null, 1))
      return 1
    },
    // What @sesamecare-oss/redlock defines as commands of its own.
    acquireLock: async () => 1,
    releaseLock: async () => 1,
  }
  return client as unknown as Redis
}

const resultOf = (words: readonly unknown[]): unknown => {
  const [command, , count] = words
  if (command !== 'EVALSHA') return String(command).toLowerCase() === 'set' ? 'OK' : 1
  const args = words.slice(3 + Number(count)) as unknown as Args
  return grant(echoOf(args), Number(args[4]), args[5])
}

/** A `fetch` before one database that speaks the Upstash REST protocol; pipelines as well. */
export const stubFetch: typeof fetch = async (_url, init) => {
  const body = JSON.parse(init!.body as string) as unknown[]
  const reply = Array.isArray(body[0])
    ? (body as unknown[][]).map((words) => ({ result: resultOf(words) }))
    : { result: resultOf(body) }
  return new Response(JSON.stringify(reply))
}
