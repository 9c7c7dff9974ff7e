import type { RestartGuard } from '../protocol/node.ts'
import type { KeyCommand } from '../protocol/command.ts'
import { doneStatus, foreign, type Reply } from '../protocol/reply.ts'
import type { NodeStatus } from './results/node-report.ts'
import { RedlockError } from '../util/redlock-error.ts'
import type { Answer } from './quorum.ts'

type Op = KeyCommand['op']

/** All fields that a reply can have, each of unknown type. */
type ReplyFields = { readonly [name in AllFields<Reply>]?: unknown }
type AllFields<Union> = Union extends unknown ? keyof Union : never

/** Whether the field is undefined, or a number that is valid as a time or a slot number. */
const isSize = (field: unknown): field is number | undefined =>
  field === undefined || (Number.isSafeInteger(field) && (field as number) >= 0)

const isText = (field: unknown): field is string | undefined =>
  field === undefined || typeof field === 'string'

/** Whether the field is a valid holder ID, which has at most 8 characters. A longer text could expose a secret. */
const isHolder = (field: unknown): field is string =>
  typeof field === 'string' && field !== '' && !field[8]

/** The holder in a reply: undefined if there is none, null if the reply is invalid. */
const holderOf = (
  op: Op,
  status: unknown,
  { holder, holders }: ReplyFields,
): string | undefined | null => {
  if (status === doneStatus[op] || status === 'absent') return undefined
  if (status === foreign) return foreign
  if (status !== 'locked') return null
  // A slot is free, but not the requested one.
  if (holder === undefined && Array.isArray(holders)) return undefined
  return isHolder(holder) && holder !== foreign ? holder : null
}

/** The answer of a node that abstains; undefined if its reply contains no valid reason. */
const abstentionOf = (
  node: string,
  { because, ttl, server }: ReplyFields,
  guard: RestartGuard | undefined,
): Answer | undefined => {
  if (because === 'restarted' && isSize(ttl) && isText(server)) {
    const error = new RedlockError('quarantined')
    return { node, status: 'quarantined', ttl, fence: 0, server, error }
  }
  const reason = guard?.reasonOf(because as 'TIME')
  return reason ? { node, status: 'error', error: new RedlockError(reason) } : undefined
}

/** The answer of a node that votes; undefined if a field of its reply is invalid. */
const voteOf = (node: string, op: Op, status: unknown, fields: ReplyFields): Answer | undefined => {
  const { counter: fence, ttl, server, metadata, slot, holders, wasForced } = fields
  const holder = holderOf(op, status, fields)
  const isValid = isSize(ttl) && isSize(slot) && isText(metadata) && isText(server)
  if (!isValid || holder === null || !Number.isSafeInteger(fence)) return undefined
  // Every field is set, so that all answers share one hidden class in V8.
  return {
    node,
    status: status as NodeStatus,
    ttl,
    fence: fence as number,
    server,
    holder,
    metadata,
    // The slot of any other reply is ignored.
    slot: status === 'granted' ? slot : undefined,
    holders: Array.isArray(holders) ? (holders as (string | null)[]) : undefined,
    wasForced: wasForced === true || undefined,
  }
}

/**
 * Validates a node's reply. Anything but a reply to a command on keys becomes an error, whose message quotes no part of
 * the reply.
 */
export const answerOf = (
  node: string,
  op: Op,
  reply: Reply,
  guard: RestartGuard | undefined,
): Answer => {
  try {
    const { status } = reply
    const answer =
      status === 'abstains' ? abstentionOf(node, reply, guard) : voteOf(node, op, status, reply)
    if (answer) return answer
  } catch {
    // A property threw.
  }
  return { node, status: 'error', error: new RedlockError('no valid reply') }
}
