import { isFinal } from '../util/bytes.ts'

/**
 * Changes the headers of a response in place, or of a copy. A response with a body can be sent only once, so it
 * belongs to this request. A response without a body is copied, because a handler can return the same one for many
 * requests.
 */
export const withHeaders = (response: Response, change: (headers: Headers) => void): Response => {
  if (!isFinal(response)) return response
  try {
    if (response.body) {
      change(response.headers)
      return response
    }
  } catch {
    // A response from `fetch` has immutable headers, so copy it.
  }
  const copy = new Response(response.body, response)
  change(copy.headers)
  return copy
}

/** Sets headers of a response. */
export const withFields = (
  response: Response,
  fields: Readonly<Record<string, string>>,
): Response =>
  withHeaders(response, (headers) => {
    for (const name in fields) headers.set(name, fields[name]!)
  })

/** Adds the headers that earlier middleware has set for every response. */
export const withEarlier = (response: Response, earlier: Headers): Response =>
  withHeaders(response, (headers) => {
    // If the response was made from the handler's response, it already has some of these headers.
    const cookies = headers.getSetCookie()
    for (const [name, value] of earlier) {
      const isNew = name === 'set-cookie' ? !cookies.includes(value) : !headers.has(name)
      const isMore = name === 'vary' && !headers.get(name)?.includes(value)
      if (isNew || isMore) headers.append(name, value)
    }
  })
