import { createSchema, createYoga } from 'graphql-yoga'
import { describe, expect, it, vi } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'
import { importFrom } from './page-modules.ts'

// The recipes for APIs that respond with 200 to a failed call, as their page shows them.

const page = 'docs/recipes/apis.md'
const redlock = new Redlock({ nodes })

describe('tRPC', () => {
  type Create = (id: string) => Promise<{ number: string }>
  type Caller = { order: (input: { id: string }) => Promise<{ number: string }> }
  type Context = { redlock: Redlock; userId: string }
  type Router = { createCaller: (context: Context) => Caller }
  type Module = { routerOf: (create: Create) => Router }

  it('completes a mutation once for twenty callers at once', async () => {
    const { routerOf } = await importFrom<Module>(page, 'trpc.ts')
    const create = vi.fn(async () => ({ number: crypto.randomUUID() }))
    const input = { id: freshKey() }
    const call = () => routerOf(create).createCaller({ redlock, userId: 'ada' }).order(input)
    const orders = await Promise.all(Array.from({ length: 20 }, call))
    expect(new Set([...orders, await call()].map(({ number }) => number)).size).toBe(1)
    expect(create).toHaveBeenCalledTimes(1)
  })

  it('keeps no failure: the caller gets its own error, and the next call runs again', async () => {
    const { routerOf } = await importFrom<Module>(page, 'trpc.ts')
    const create = vi.fn<Create>().mockRejectedValueOnce(new Error('sold out'))
    create.mockResolvedValue({ number: '1' })
    const input = { id: freshKey() }
    const call = () => routerOf(create).createCaller({ redlock, userId: 'ada' }).order(input)
    await expect(call()).rejects.toThrow('sold out')
    expect([await call(), await call()]).toEqual([{ number: '1' }, { number: '1' }])
    expect(create).toHaveBeenCalledTimes(2)
  })
})

describe('GraphQL', () => {
  type Create = (id: string) => Promise<string>
  type Server = { fetch: (request: Request) => Response | Promise<Response> }
  type Handler = (request: Request) => Promise<Response>
  type Module = { protect: (redlock: Redlock, yoga: Server) => Handler }

  const serverOf = async (create: Create): Promise<Handler> => {
    const { protect } = await importFrom<Module>(page, 'graphql.ts')
    const yoga = createYoga({
      maskedErrors: false,
      schema: createSchema({
        typeDefs: 'type Query { ok: Boolean } type Mutation { order(id: ID!): String! }',
        resolvers: { Mutation: { order: (_: unknown, { id }: { id: string }) => create(id) } },
      }),
    })
    return protect(redlock, yoga)
  }

  const post = (key: string): Request =>
    new Request('https://api.example/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key, 'x-user': 'ada' },
      body: JSON.stringify({ query: 'mutation { order(id: "7") }' }),
    })

  it('runs a mutation once, and a failed one again', async () => {
    const create = vi.fn<Create>().mockRejectedValueOnce(new Error('sold out'))
    create.mockResolvedValue('order 1')
    const serve = await serverOf(create)
    const key = freshKey()
    const texts = []
    for (let turn = 0; turn < 3; turn++) texts.push(await (await serve(post(key))).text())
    expect(texts[0]).toContain('sold out')
    expect(texts.slice(1)).toEqual([texts[1], texts[1]])
    expect(JSON.parse(texts[1]!)).toEqual({ data: { order: 'order 1' } })
    expect(create).toHaveBeenCalledTimes(2)
  })

  it('runs a mutation once for twenty requests at once', async () => {
    const create = vi.fn<Create>(async () => crypto.randomUUID())
    const serve = await serverOf(create)
    const key = freshKey()
    const call = async () => (await serve(post(key))).text()
    expect(new Set(await Promise.all(Array.from({ length: 20 }, call))).size).toBe(1)
    expect(create).toHaveBeenCalledTimes(1)
  })
})
