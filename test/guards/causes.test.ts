import fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { fenced, type Guard, isStaleTokenError, sqlGuard } from '../../src/entries/guards.ts'

// Libraries wrap the errors of a database, some of them in circles.

const guard = sqlGuard({ dialect: 'postgres' })
const stale = (): Error => new Error('violates check constraint "fences_stale_token"')
const errorOf = (thrown: unknown): Promise<unknown> =>
  guard.run('k', 7, () => Promise.reject(thrown)).catch((reason: unknown) => reason)

/** Wraps each error in the next. */
const wrapped = (...errors: Error[]): Error =>
  errors.reduce((cause, error) => Object.assign(error, { cause }))

const selfCaused = (): Error => {
  const error = new Error('a mistake')
  return Object.assign(error, { cause: error })
}

describe('an error whose causes are a circle', () => {
  it.each<[string, () => Error]>([
    ['of itself', selfCaused],
    [
      'of two errors',
      () => {
        const inner = new Error('inner')
        const outer = new Error('outer', { cause: inner })
        inner.cause = outer
        return outer
      },
    ],
    [
      'through an AggregateError',
      () => {
        const inner = new Error('inner')
        const outer = new AggregateError([new Error('other'), inner], 'outer')
        inner.cause = outer
        return outer
      },
    ],
    [
      'of an AggregateError in itself',
      () => {
        const error = new AggregateError([], 'outer')
        error.errors.push(error, selfCaused())
        return error
      },
    ],
  ])('%s is rethrown unchanged', async (_, make) => {
    const error = make()
    expect(await errorOf(error)).toBe(error)
  })

  it('is recognized as a stale token where one of them is', async () => {
    const inner = stale()
    const outer = wrapped(inner, new Error('query failed'), new Error('transaction failed'))
    inner.cause = outer
    expect(isStaleTokenError(await errorOf(outer))).toBe(true)
    const several = new AggregateError([new Error('one'), outer], 'all failed')
    expect(isStaleTokenError(await errorOf(wrapped(several, new Error('pool'))))).toBe(true)
  })

  it('does not hang fenced(), which responds 412 or 500', async () => {
    const statusFor = async (error: Error): Promise<number> => {
      const guard: Guard = {
        advance: async () => {
          throw error
        },
      }
      const app = new Hono().use(fenced({ guard, resource: 'k' }))
      app.onError((_, c) => c.text('', 500))
      return (await app.request('/', { headers: { 'fencing-token': '7' } })).status
    }
    expect(await statusFor(selfCaused())).toBe(500)
    const late = await errorOf(wrapped(stale(), selfCaused()))
    expect(await statusFor(late as Error)).toBe(412)
  })

  it('never hangs, whatever the graph of causes, and is stale exactly if the constraint is in it', async () => {
    const links = fc.array(
      fc.record({
        isStale: fc.boolean(),
        cause: fc.option(fc.nat(9)),
        errors: fc.array(fc.nat(9), { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 10 },
    )
    await fc.assert(
      fc.asyncProperty(links, async (graph) => {
        const all = graph.map(({ isStale }) => (isStale ? stale() : new Error('other')))
        const at = (index: number): number => index % graph.length
        for (const [index, { cause, errors }] of graph.entries()) {
          if (cause !== null) all[index]!.cause = all[at(cause)]
          if (errors.length > 0) {
            Object.assign(all[index]!, { errors: errors.map((one) => all[at(one)]) })
          }
        }
        const reached = new Set([0])
        for (const index of reached) {
          const { cause, errors } = graph[index]!
          for (const next of cause === null ? errors : [cause, ...errors]) reached.add(at(next))
        }
        const expected = [...reached].some((index) => graph[index]!.isStale)
        const error = await errorOf(all[0])
        expect(isStaleTokenError(error)).toBe(expected)
        if (!expected) expect(error).toBe(all[0])
      }),
    )
  })

  it('ends where each cause is made when it is read', async () => {
    class Endless extends Error {
      override get cause(): Error {
        return new Endless()
      }
    }
    const error = new Endless()
    expect(await errorOf(error)).toBe(error)
  })

  it.each([
    [
      'a property that throws',
      Object.defineProperty(new Error('x'), 'cause', {
        get: () => {
          throw new Error('y')
        },
      }),
    ],
    [
      'a message that cannot be a string',
      Object.assign(new Error('x'), { message: Object.create(null) as string }),
    ],
    ['a symbol as its message', Object.assign(new Error('x'), { message: Symbol('x') })],
    ['errors that are no list', Object.assign(new Error('x'), { errors: 7 })],
    ['nothing', undefined],
    ['a string', 'fences'],
  ])('%s is rethrown unchanged', async (_, thrown) => {
    expect(await errorOf(thrown)).toBe(thrown)
  })
})
