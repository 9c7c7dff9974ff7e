import type { Redis } from 'ioredis'
import type { LockNode } from '../../src/index.ts'

// Stand-ins for servers. Each immediately returns what its library considers a success. They store nothing, and are
// equally cheap for all libraries.

/** A node of this project. Like a real one, it reports its identity on request. */
export const stubNode = (name: string): LockNode => ({
  name,
  run: async ({ op }, { serverId }) => ({
    status: op === 'release' ? 'released' : 'granted',
    ttl: 10_000,
    counter: 1,
    server: serverId,
  }),
})

const grant = (words: readonly string[]): unknown => [
  words[0]! + words[1]!,
  'granted',
  10_000,
  '',
  Number(words[4]),
  words[5],
]

type Callback = (error: null, reply: unknown) => void

/**
 * The part of an ioredis client that the libraries use. The reply 1 means that one key was locked or deleted. Redlock
 * 4 passes a callback, which ioredis also calls later.
 */
export const stubClient = (): Redis => {
  const client = {
    set: async () => 'OK',
    script: async () => 'sha',
    evalsha: async (_sha: string, _count: unknown, callback?: unknown) => {
      if (typeof callback === 'function') queueMicrotask(() => (callback as Callback)(null, 1))
      return 1
    },
    // Commands that @sesamecare-oss/redlock defines.
    acquireLock: async () => 1,
    releaseLock: async () => 1,
  }
  return client as unknown as Redis
}

const resultOf = (words: readonly unknown[]): unknown => {
  const [command, , count] = words
  if (command !== 'EVALSHA') return String(command).toLowerCase() === 'set' ? 'OK' : 1
  return grant(words.slice(3 + Number(count)) as string[])
}

/** A `fetch` to one database with the Upstash REST protocol, including pipelines. */
export const stubFetch: typeof fetch = async (_url, init) => {
  const body = JSON.parse(init!.body as string) as unknown[]
  const reply = Array.isArray(body[0])
    ? (body as unknown[][]).map((words) => ({ result: resultOf(words) }))
    : { result: resultOf(body) }
  return new Response(JSON.stringify(reply))
}
