import type { Client } from '../local/client.ts'
import { BoundedMap } from '../util/bounded-map.ts'
import { warnOnce } from '../util/warn-once.ts'
import type { Answer } from './tally.ts'

// A node that fails from the start is mostly a wrong token or url. The lock works without it, so that
// nobody would notice until another node fails.

// Failures of a node that has never answered after which it is reported: one can be an accident.
const maxFailures = 2

// By the name of the node, how often it has failed; -Infinity once it has answered. In the isolate, since
// a client often lives only for one request.
const failures = new BoundedMap<number>(2 ** 16)
// The bytes that an entry takes on V8, beside its name.
const nodeBytes = 100

// The replies of REST servers and of Redis to a wrong token or user.
const isRejection = /HTTP 40[13]|WRONGPASS|NOAUTH|NOPERM|unauthori[sz]ed|forbidden/i

/** Warns, once per isolate and node, of a node that rejects its token or has failed from the start. */
export const warnOfNode = ({ warns }: Client, { node, status, error }: Answer): void => {
  if (!warns) return
  const known = failures.get(node) ?? 0
  const count = error && status !== 'quarantined' ? known + 1 : -Infinity
  if (count !== known) failures.set(node, count, nodeBytes)
  if (error) {
    const isRejected = isRejection.test(error.message)
    const what = isRejected ? 'rejects its token' : 'has failed from the start'
    if (isRejected || count >= maxFailures) {
      warnOnce(`${node} ${what}: ${error.message}`, `${node} ${what}`)
    }
  }
}
