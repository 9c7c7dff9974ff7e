import type { Operation } from './operation.ts'
import type { ClientRecord } from './records.ts'

/** The facts in a record about its operation. */
const toldBy = (record: ClientRecord, before: Operation): Partial<Operation> => {
  const { at } = record
  switch (record.type) {
    case 'called': {
      const { kind, keys, validity, holder } = record
      return { kind, keys, validity, holder }
    }
    case 'acquired': {
      const { validUntil, keys: held = before.keys, lock, askedAt, late } = record
      const answer = { answer: 'acquired', answeredAt: at, acquiredAt: at, late } as const
      const times = { validUntil, grantedUntil: validUntil, renewedAt: at, askedAt }
      return { ...answer, ...times, held, lock }
    }
    case 'passed': {
      const { window, limit, askedAt } = record
      return { answer: 'passed', answeredAt: at, window, limit, askedAt }
    }
    case 'refused': {
      const { reason: answer, text: reason = answer, retryAfter, late } = record
      return { answer, answeredAt: at, reason, retryAfter, late, outcome: 'refused' }
    }
    case 'forced':
      return { answer: 'forced', answeredAt: at }
    case 'failed': {
      const { answer = 'failed', answeredAt = at } = before
      return { answer, answeredAt, reason: record.reason, outcome: 'failed' }
    }
    case 'token asked':
      return { tokenAskedAt: at }
    case 'token': {
      const { tokenAskedAt: requestedAt = before.calledAt, tokens } = before
      return { tokens: [...tokens, { token: record.token, requestedAt, confirmedAt: at }] }
    }
    case 'extending':
      return { extendingAt: at }
    case 'extended': {
      // A process that was paused between the extension and its report may report an expired lock.
      const validUntil = record.validUntil > at ? record.validUntil : before.validUntil
      const extensions = (before.extensions ?? 0) + 1
      // A clock that jumps ahead and back ends a lock only temporarily.
      return { validUntil, renewedAt: at, extensions, extendingAt: undefined, lostAt: undefined }
    }
    case 'lost': {
      const { grantedBy, late: lateLoss } = record
      return { lostAt: before.lostAt ?? at, grantedBy, lateLoss, outcome: 'lost' }
    }
    case 'read':
      return { readAt: at }
    case 'writing':
      return { writingAt: at }
    case 'written':
      return { writtenAt: at, outcome: 'written' }
    case 'releasing':
      return { releasingAt: before.releasingAt ?? at }
    case 'released':
      return { releasedAt: at }
    default:
      return { outcome: record.type }
  }
}

/** The operations of a history, which grow with each record. */
export type Operations = {
  readonly all: ReadonlyMap<string, Operation>
  /** Adds a record, which must not be older than the previous ones. */
  readonly add: (record: ClientRecord) => Operation
}

export const makeOperations = (): Operations => {
  const all = new Map<string, Operation>()
  const begin = ({ op, process, at }: ClientRecord): Operation => {
    const operation = { op, process, kind: 'private', keys: [], calledAt: at, lastAt: at } as const
    return { ...operation, tokens: [] }
  }
  return {
    all,
    add: (record) => {
      const operation = all.get(record.op) ?? begin(record)
      all.set(record.op, operation)
      return Object.assign(operation, toldBy(record, operation), { lastAt: record.at })
    },
  }
}
