/**
 * Adds headers to a copy of the response: the headers of a fetched response are immutable. Those of
 * `Server-Timing` are added to the ones that are there; others replace them.
 */
export const withHeaders = <T>(
  response: T,
  headers: Readonly<Record<string, string>>,
): T | Response => {
  const { body, status } = Object(response) as Response
  const added = Object.entries(headers)
  // A 101 response cannot be copied, and on Lambda the result may be no Response.
  if (!(response instanceof Response) || status < 200 || added.length === 0) return response
  const copy = new Response(body, response)
  for (const [name, value] of added) {
    copy.headers[name === 'server-timing' ? 'append' : 'set'](name, value)
  }
  return copy
}
