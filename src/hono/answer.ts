import type { Context } from 'hono'
import type { RequestScope, ScopeOptions } from '../http/request-scope.ts'
import { scopeOf } from './adapter.ts'
import { noteComplete } from './complete-responses.ts'

/**
 * Answers a request by `run`, and hands the response to Hono: returns it, or replaces the one that the
 * handler has set already.
 */
export const answer = async <Options extends ScopeOptions<[c: Context]>>(
  c: Context,
  options: Options,
  run: (scope: RequestScope<[c: Context], Options>) => Promise<Response>,
): Promise<Response | undefined> => {
  const response = await run(scopeOf(options, c, noteComplete(c)))
  if (!c.finalized) return response
  // Assigning copies the response, which is impossible for a 101: so only if there is a new one.
  if (response !== c.res) {
    // Hono would merge the headers of the one before into the new one, which has all that it needs.
    c.res = undefined
    c.res = response
  }
  return undefined
}
