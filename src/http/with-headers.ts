/**
 * Adds headers to a response, or to a copy where they are immutable, as those of a fetched response.
 * `Server-Timing` is added to the ones that are there; others replace them.
 *
 * @param isOwn - Whether the response was made for this request alone. Default: no.
 */
export const withHeaders = <T>(
  response: T,
  headers: Readonly<Record<string, string>>,
  isOwn = false,
): T | Response => {
  const all = Object.entries(headers)
  // A 101 response cannot be copied, and on Lambda the result may be no Response.
  if (!all[0] || !(response instanceof Response) || response.status < 200) return response
  const addTo = (to: Response): Response => {
    for (const [name, value] of all) {
      to.headers[name === 'server-timing' ? 'append' : 'set'](name, value)
    }
    return to
  }
  try {
    // A handler may return one response without a body for many requests.
    if (isOwn || response.body) return addTo(response)
  } catch {}
  return addTo(new Response(response.body, response))
}
