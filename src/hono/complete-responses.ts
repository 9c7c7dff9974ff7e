import type { Context } from 'hono'

// A body that Hono has made of text or bytes is in memory, and ends without anybody reading it. Nothing
// else tells such a body from a stream, and on workerd it takes long to find out by reading.

const contexts = new WeakSet<Context>()
const complete = new WeakSet<Response>()

const methods = ['text', 'json', 'html', 'body'] as const

type Make = (...args: unknown[]) => unknown

const isWhole = (content: unknown): boolean =>
  typeof content === 'string' || content instanceof ArrayBuffer || ArrayBuffer.isView(content)

/** Whether a handler has made this response of text or bytes, for this request alone. */
const isComplete = (response: unknown): boolean => complete.has(response as Response)

/**
 * Notes the responses that the handler makes of text or bytes from now on, by methods such as `c.text()`.
 *
 * @returns whether a response is one of these.
 */
export const noteComplete = (c: Context): ((response: unknown) => boolean) => {
  if (contexts.has(c)) return isComplete
  contexts.add(c)
  for (const method of methods) {
    const make = c[method] as Make
    const makeNoted: Make = (...args) => {
      const response = make.apply(c, args)
      const [content] = args
      // `c.json()` makes text of any value.
      const hasEnded = method === 'json' || isWhole(content)
      if (hasEnded && response instanceof Response) complete.add(response)
      return response
    }
    c[method] = makeNoted as never
  }
  return isComplete
}
