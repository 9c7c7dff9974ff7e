/** Headers by their names in lower case. */
export type Headers = Readonly<Record<string, string>>

/**
 * Adds headers to a response that was made for this request alone, or to a copy: those of a fetched
 * response are immutable. They replace those that are there, while `Server-Timing` is added to them.
 *
 * @param isOwn - Whether the response was made for this request alone. Default: no.
 */
export const withHeaders = <T>(
  response: T,
  timing: string | false | undefined,
  headers?: Headers,
  isOwn?: boolean,
): T | Response => {
  // A 101 response cannot be copied, and on Lambda the result may be no Response.
  const isFixed = !(response instanceof Response) || response.status < 200
  if (isFixed || !(timing || headers)) return response
  // A handler may return one response for many requests.
  const sent = isOwn ? response : new Response(response.body, response)
  for (const name in headers) sent.headers.set(name, headers[name]!)
  if (timing) sent.headers.append('server-timing', timing)
  return sent
}
