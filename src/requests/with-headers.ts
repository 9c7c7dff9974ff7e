import { isFinal } from '../util/bytes.ts'

/**
 * Changes the headers of a response, or of a copy of it. A response with a body can be sent only once, so it belongs to
 * this request. A handler may return a response without a body for many requests, so that is copied.
 */
export const withHeaders = (response: Response, change: (headers: Headers) => void): Response => {
  if (!isFinal(response)) return response
  try {
    if (response.body) {
      change(response.headers)
      return response
    }
  } catch {
    // The headers of a fetched response are immutable.
  }
  const copy = new Response(response.body, response)
  change(copy.headers)
  return copy
}

/** Sets headers, by their names. */
export const withFields = (
  response: Response,
  fields: Readonly<Record<string, string>>,
): Response =>
  withHeaders(response, (headers) => {
    for (const name in fields) headers.set(name, fields[name]!)
  })

/** Adds the headers that earlier middleware has set, which belong to every answer. */
export const withEarlier = (response: Response, earlier: Headers): Response =>
  withHeaders(response, (headers) => {
    // A response made from that of the handler already has some of them.
    const cookies = headers.getSetCookie()
    for (const [name, value] of earlier) {
      const isNew = name === 'set-cookie' ? !cookies.includes(value) : !headers.has(name)
      const isMore = name === 'vary' && !headers.get(name)?.includes(value)
      if (isNew || isMore) headers.append(name, value)
    }
  })
