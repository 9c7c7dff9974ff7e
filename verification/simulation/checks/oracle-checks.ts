import type { Lock } from '../../../src/index.ts'
import { hasCommonKey } from './common-key.ts'
import type { Recorder } from './recorder.ts'
import type { Operation } from '../../history/operation.ts'

// Checks the results of clients against the actions of the servers: see server-oracle.ts.

/** Checks that a quorum of servers has reported the token that the client received. */
export const checkConfirmed = (
  { oracle, violated }: Recorder,
  { keys, value }: Pick<Lock, 'keys' | 'value'>,
  token: number,
  quorum: number,
): void => {
  const servers = oracle.reported.get(`${value} ${keys[0]}`)?.get(token)?.size ?? 0
  if (servers < quorum) {
    violated('confirmation', `${token} was reported by ${servers} of ${quorum} servers`)
  }
}

/** Checks that a quorum of servers has granted the lock that the client acquired. */
export const checkGranted = (
  { oracle, violated }: Recorder,
  { lock, process, held }: Operation,
  quorum: number,
): void => {
  const counts = held!.map((key) => oracle.grantedKeys.get(`${lock} ${key}`)?.size ?? 0)
  const servers = Math.min(...counts)
  if (servers < quorum) violated('quorum', `${process} holds on ${servers} of ${quorum} servers`)
}

/** Checks that a quorum of servers has confirmed an extension since `extend` was called. */
export const checkExtended = (
  { oracle, violated }: Recorder,
  { lock, process }: Operation,
  calledAt: number,
  quorum: number,
): void => {
  const times = [...(oracle.extended.get(lock!)?.values() ?? [])]
  const servers = times.filter((at) => at >= calledAt).length
  if (servers < quorum) violated('quorum', `${process} extends on ${servers} of ${quorum}`)
}

/**
 * Checks that no other lock was on a quorum of servers between the acquire and the first confirmation of an extension.
 * (If clocks jump, another lock can be granted after that confirmation, before the reply arrives.)
 */
export const checkContinuity = (
  { oracle, violated }: Recorder,
  { lock, held: keys, acquiredAt: from, process }: Operation,
  calledAt: number,
): void => {
  // Even after the other lock has ended, a late request can grant this lock on a server.
  const lastGranted = Math.max(...(oracle.granted.get(lock!)?.values() ?? [0]))
  const times = [...(oracle.extended.get(lock!)?.values() ?? [])]
  const confirmed = Math.min(...times.filter((at) => at >= calledAt))
  for (const [other, held] of oracle.onQuorum) {
    if (other === lock || !hasCommonKey(held.keys, keys!)) continue
    if (held.at > from! && held.at > lastGranted && held.at < confirmed) {
      violated('continuity', `${process} extends, and another held it at ${held.at.toFixed(1)}`)
    }
  }
}
