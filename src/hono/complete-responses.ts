import type { Context } from 'hono'

// A body that Hono has made of text is in memory, and ends without anybody reading it. Nothing else tells
// such a body from a stream, and on workerd it takes long to find out by reading. Bytes do not count: a
// server may send them later from memory of the handler, into which the next request may write.

const contexts = new WeakSet<Context>()
/** By response of text: the context that has made it. */
const makers = new WeakMap<object, Context>()

const methods = ['text', 'json', 'html', 'body'] as const

type Make = (...args: unknown[]) => unknown

/**
 * Notes the responses that the handler makes of text from now on, by methods such as `c.text()`.
 *
 * @returns whether a response is one of these. One that an earlier request made is not.
 */
export const noteComplete = (c: Context): ((response: unknown) => boolean) => {
  const isComplete = (response: unknown): boolean => makers.get(response as object) === c
  if (contexts.has(c)) return isComplete
  contexts.add(c)
  for (const method of methods) {
    const make = c[method] as Make
    const makeNoted: Make = (...args) => {
      const response = make.apply(c, args)
      const [content] = args
      // `c.json()` makes text of any value but undefined.
      const isText = method === 'json' ? content !== undefined : typeof content === 'string'
      if (isText && response instanceof Response) makers.set(response, c)
      return response
    }
    // A context in a test may be frozen, where this does nothing and an assignment would throw.
    Reflect.set(c, method, makeNoted)
  }
  return isComplete
}
