import type { Context } from 'hono'

// A body that Hono has made of text is in memory, and ends without anybody reading it. Nothing else tells
// such a body from a stream, and on workerd it takes long to find out by reading. Bytes do not count: a
// server may send them later from memory of the handler, into which the next request may write.

/** By context: the responses that it has made of text. A stream may make many, and drop them. */
const responses = new WeakMap<Context, WeakSet<object>>()

const methods = ['text', 'json', 'html', 'body'] as const

type Make = (...args: unknown[]) => unknown

/**
 * Notes the responses that the handler makes of text from now on, by methods such as `c.text()`.
 *
 * @returns whether a response is one of these. One that an earlier request made is not.
 */
export const noteComplete = (c: Context): ((response: unknown) => boolean) => {
  const made = responses.get(c) ?? new WeakSet()
  const isComplete = (response: unknown): boolean => made.has(response as object)
  if (responses.has(c)) return isComplete
  responses.set(c, made)
  const context = c as unknown as Record<string, Make>
  for (const method of methods) {
    const make = context[method]!
    const makeNoted: Make = (...args) => {
      const response = make.apply(c, args)
      const [content] = args
      // `c.json()` makes text of any value but undefined.
      const isText = method === 'json' ? content !== undefined : typeof content === 'string'
      if (isText && response instanceof Response) made.add(response)
      return response
    }
    try {
      context[method] = makeNoted
    } catch {
      // A context in a test may be frozen.
    }
  }
  return isComplete
}
