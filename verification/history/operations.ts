import type { Operation } from './operation.ts'
import type { ClientRecord } from './records.ts'

const answered = (
  operation: Operation,
  at: number,
  answer: NonNullable<Operation['answer']>,
): void => {
  operation.answer = answer
  operation.answeredAt = at
}

const apply = (operation: Operation, record: ClientRecord): void => {
  const { at } = record
  operation.lastAt = Math.max(operation.lastAt, at)
  switch (record.type) {
    case 'called':
      operation.kind = record.kind
      operation.keys = record.keys
      if (record.validity !== undefined) operation.validity = record.validity
      operation.holder = record.holder
      break
    case 'acquired':
      answered(operation, at, 'acquired')
      operation.acquiredAt = at
      operation.held = record.keys ?? operation.keys
      operation.validUntil = record.validUntil
      operation.grantedUntil = record.validUntil
      operation.renewedAt = at
      if (record.lock !== undefined) operation.lock = record.lock
      if (record.askedAt !== undefined) operation.askedAt = record.askedAt
      if (record.late !== undefined) operation.late = record.late
      break
    case 'passed':
      answered(operation, at, 'passed')
      operation.window = record.window
      if (record.askedAt !== undefined) operation.askedAt = record.askedAt
      if (record.limit !== undefined) operation.limit = record.limit
      break
    case 'refused':
      answered(operation, at, record.reason)
      operation.outcome = 'refused'
      operation.reason = record.text ?? record.reason
      if (record.retryAfter !== undefined) operation.retryAfter = record.retryAfter
      if (record.late !== undefined) operation.late = record.late
      break
    case 'forced':
      answered(operation, at, 'forced')
      break
    case 'token asked':
      operation.tokenAskedAt = at
      break
    case 'token':
      operation.tokens.push({
        token: record.token,
        requestedAt: operation.tokenAskedAt ?? operation.calledAt,
        confirmedAt: at,
      })
      break
    case 'read':
      operation.readAt = at
      break
    case 'extending':
      operation.extendingAt = at
      break
    case 'extended':
      operation.extendingAt = undefined
      // A clock that jumps there and back ends a lock only for a while.
      operation.lostAt = undefined
      operation.validUntil = record.validUntil
      operation.renewedAt = at
      operation.extensions = (operation.extensions ?? 0) + 1
      break
    case 'lost':
      operation.lostAt ??= at
      if (record.grantedBy) operation.grantedBy = record.grantedBy
      if (record.late !== undefined) operation.lateLoss = record.late
      operation.outcome = 'lost'
      break
    case 'writing':
      operation.writingAt = at
      break
    case 'written':
      operation.writtenAt = at
      operation.outcome = 'written'
      break
    case 'failed':
      if (operation.answer === undefined) answered(operation, at, 'failed')
      operation.reason = record.reason
      operation.outcome = 'failed'
      break
    case 'releasing':
      operation.releasingAt ??= at
      break
    case 'released':
      operation.releasedAt = at
      break
    default:
      operation.outcome = record.type
  }
}

/** The operations of a history, which grow with each record. */
export type Operations = {
  readonly all: ReadonlyMap<string, Operation>
  /** Adds a record, which must not be older than those before. */
  readonly add: (record: ClientRecord) => Operation
}

export const makeOperations = (): Operations => {
  const all = new Map<string, Operation>()
  return {
    all,
    add: (record) => {
      const { op, process, at } = record
      const operation: Operation = all.get(op) ?? {
        op,
        process,
        kind: 'private',
        keys: [],
        calledAt: at,
        lastAt: at,
        tokens: [],
      }
      all.set(op, operation)
      apply(operation, record)
      return operation
    },
  }
}
