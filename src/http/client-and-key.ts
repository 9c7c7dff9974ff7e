import type { Redlock } from '../redlock.ts'
import { assertOption } from '../util/validate.ts'
import { checkedRedlock, forRequest, type RequestKey } from './options.ts'
import type { RequestScope } from './request-scope.ts'

/**
 * The client and the key of a request. Where the key is null, the request is to pass without a lock, and
 * the client has reported that. An undefined key is a mistake, such as a header that is missing.
 */
export const clientAndKey = async <Args extends readonly unknown[]>({
  options,
  args,
}: RequestScope<Args>): Promise<readonly [Redlock, RequestKey]> => {
  const key = await forRequest(options.key, args)
  assertOption(key !== undefined, 'key', 'text, an array or null', key)
  const redlock = checkedRedlock(await forRequest(options.redlock, args))
  if (key === null) redlock.client().emit?.({ type: 'skipped', keys: [] })
  return [redlock, key]
}
