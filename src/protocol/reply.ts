import type { NodeReport } from '../reports/node-report.ts'
import { RedlockError } from '../util/redlock-error.ts'
import type { ScriptCall } from './script.ts'

// The only file that knows the positions of the reply. The headers of lock.lua and quarantine.lua describe its fields.

/** The reply as it comes over the wire. */
export type ReplyTuple = readonly [
  echo: string,
  status: 'granted' | 'locked' | 'absent' | 'quarantined' | 'unfit',
  left: number,
  holder: string,
  counter: number,
  identity?: string,
]

/** The reply by the names of its fields. */
export type Reply = {
  readonly echo: string
  readonly status: ReplyTuple[1]
  readonly left: number
  readonly holder: string
  readonly counter: number
  readonly identity?: string | undefined
}

/** The beginning of the reply to a call, which identifies the call. */
export const echoOf = ([operation, owner]: ScriptCall['args']): string => operation + owner

/** A reply as it goes over the wire, for whatever stands in for a server. */
export const writeReply = (reply: Reply): ReplyTuple => {
  const { echo, status, left, holder, counter, identity } = reply
  return identity === undefined
    ? [echo, status, left, holder, counter]
    : [echo, status, left, holder, counter, identity]
}

/** The fields of a reply, unchecked. */
export const parseReply = ([echo, status, left, holder, counter, identity]: ReplyTuple): Reply => ({
  echo,
  status,
  left,
  holder,
  counter,
  identity,
})

/** The public part of a lock value, which tells holders apart. */
export const idOf = (value: string): string => value.slice(0, 8)

/** How a node names the holder of this value to others. */
export const holderOf = (value: string): string => `h${idOf(value)}`

/** The holder of a key that holds no lock, or never expires. It is shorter than all others. */
export const foreign = 'foreign'

/** Whether the node has a key that never expires: it cannot grant the lock, and names nobody who could have it. */
export const isEndless = ({ holder, ttl }: Pick<NodeReport, 'holder' | 'ttl'>): boolean =>
  holder === foreign && ttl === undefined

// Checked by the compiler to be all of them.
const statuses: Readonly<Record<ReplyTuple[1], true>> = {
  granted: true,
  locked: true,
  absent: true,
  quarantined: true,
  unfit: true,
}

/** Whether it has the form of a reply, but its texts are changed, as by decoding what is not encoded. */
export const isGarbled = (reply: unknown): boolean => {
  if (!Array.isArray(reply)) return false
  const { status, left, counter } = parseReply(reply as unknown as ReplyTuple)
  return Number.isInteger(left) && Number.isInteger(counter) && !Object.hasOwn(statuses, status)
}

/** The content of a reply: a report for the caller, and the identity of the server, if it is there. */
export type ReadReply = NodeReport & { readonly server?: string | undefined }

/**
 * Reads the reply of a node as it came over the wire, and trusts nothing in it. `echo` is what the
 * reply must begin with. Anything but the reply to that call is reported as an error, whose message
 * repeats nothing of the reply.
 *
 * @param namesHolders - Whether the call was one of the script of slots.
 */
export const readReply = (
  echo: string,
  reply: unknown,
  node: string,
  namesHolders?: boolean,
): ReadReply => {
  try {
    // By index, which is faster than to iterate.
    const { 0: begin, 1: status, 2: left, 3: by, 4: fence, 5: identity } = reply as ReplyTuple
    const areNumbers = Number.isSafeInteger(left) && Number.isSafeInteger(fence)
    const server = typeof identity === 'string' && identity ? identity : undefined
    const ttl = left < 0 ? undefined : left
    if (Array.isArray(reply) && begin === echo && areNumbers && typeof by === 'string') {
      // Nearly all replies name nobody.
      if (by === '' && (status === 'granted' || status === 'absent')) {
        return { node, status, ttl, fence, server, wasForced: left === -2 || undefined }
      }
      const end = `${by} `.indexOf(' ')
      const holder = by.slice(1, end)
      const metadata = by.slice(end + 1) || undefined
      // A longer holder would reveal more of a secret than the script does.
      if (status === 'locked' && holder && !holder[8]) {
        // A key that never expires is no lock, whatever it holds.
        return { node, status, ttl, fence, holder: left < 0 ? foreign : holder, metadata, server }
      }
      const isFree = status === 'granted' || status === 'absent' || status === 'quarantined'
      if (isFree && (by === '' || (namesHolders && holder === '-'))) {
        const error = status === 'quarantined' ? new RedlockError(status) : undefined
        return { node, status, ttl, fence, error, metadata, server }
      }
    }
  } catch {}
  return { node, status: 'error', error: new RedlockError('no reply of Redis') }
}
