import type { Context } from 'hono'

// A body that Hono has made of text is in memory, and ends without anybody reading it. Nothing else tells
// such a body from a stream, and on workerd it takes long to find out by reading. Bytes do not count: a
// server may send them later from memory of the handler, into which the next request may write.

type Make = (...args: unknown[]) => unknown

/**
 * Notes the responses that the handler makes of text from now on, by methods such as `c.text()`.
 *
 * @returns whether a response is one of these. One that an earlier request made is not.
 */
export const noteComplete = (c: Context): ((response: unknown) => boolean) => {
  // A stream may make many, and drop them.
  const made = new WeakSet()
  const context = c as unknown as Record<string, Make>
  for (const method of ['text', 'json', 'html', 'body']) {
    const make = context[method]!
    try {
      context[method] = (content, ...rest) => {
        const response = make(content, ...rest)
        // `c.json()` makes text of any value but undefined.
        if (method === 'json' ? content !== undefined : typeof content === 'string') {
          made.add(response as object)
        }
        return response
      }
    } catch {
      // A context in a test may be frozen.
    }
  }
  return (response) => made.has(response as object)
}
