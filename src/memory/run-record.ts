import type { Accept, Prepare } from '../protocol/command.ts'
import type { Reply } from '../protocol/reply.ts'
import { get, type MemoryServer, pttl, set } from './memory-server.ts'
import { fenceTtlOf, leftOf, minCounterOf, otherOf, readFence, ttlOfReply } from './run-lock.ts'

// record.lua in TypeScript, with the same names and steps. The comments there explain why.

/** The token of a record; undefined for a claim. */
const tokenOf = (text: string | undefined): number | undefined => {
  const [, token] = /^[^ ]* d (\d+) /.exec(text ?? '') ?? []
  return token === undefined ? undefined : Number(token)
}

/** The state of the key and its fence, which determines the effect of both commands. */
type RecordReading = {
  readonly current: string | undefined
  /** The token of the current record. */
  readonly token: number | undefined
  /** Whether the key holds no record and no other claim. */
  readonly isFree: boolean
  readonly lastCounter: number
  readonly lastValue: string | undefined
  readonly left: number
}

const lookAt = (
  server: MemoryServer,
  { op, owner, keys, fences }: Prepare | Accept,
): RecordReading => {
  const [key, fence] = [keys[0]!, fences[0]!]
  const current = get(server, key)
  const isTimed = op === 'prepare' || current !== owner
  return {
    current,
    token: tokenOf(current),
    isFree: current === undefined || current === owner,
    ...readFence(get(server, fence)),
    left: isTimed ? leftOf(server, key) : -1,
  }
}

/** Promises to reject records with lower tokens. */
const prepareRecord = (server: MemoryServer, command: Prepare, look: RecordReading): Reply => {
  const { owner, value, keys, fences } = command
  const { current, token, isFree, lastCounter, lastValue, left } = look
  const ttl = ttlOfReply(left)
  if (!isFree && token === undefined)
    return { ...otherOf(current!, left), counter: lastCounter, ttl }
  let counter = Math.max(lastCounter, token ?? 0)
  if (current !== owner && (lastValue !== value || token === undefined)) counter++
  counter = Math.max(counter, minCounterOf(server, command.minCounter))
  let life = command.ttl
  if (token === undefined) {
    life = Math.max(life, pttl(server, keys[0]!))
    set(server, keys[0]!, owner, life)
  }
  set(server, fences[0]!, `${counter} ${value}`, life + fenceTtlOf(server, command))
  return isFree ? { status: 'granted', counter, ttl } : { ...otherOf(current!, left), counter, ttl }
}

/** Replaces the claim with a record, unless a higher token has been promised. */
const acceptRecord = (server: MemoryServer, command: Accept, look: RecordReading): Reply => {
  const { record, keys } = command
  const { current, token, isFree, lastCounter: counter, lastValue, left } = look
  const ttl = ttlOfReply(left)
  if (current === record) return { status: 'accepted', counter, ttl }
  const replaces = isFree || (token !== undefined && token < tokenOf(record)!)
  if (!replaces) return { ...otherOf(current!, left), counter, ttl }
  if (lastValue === undefined || counter > command.token) return { status: 'absent', counter, ttl }
  set(server, keys[0]!, record, command.ttl)
  return { status: 'accepted', counter, ttl }
}

/** Makes a promise, or accepts a record. */
export const runRecord = (server: MemoryServer, command: Prepare | Accept): Reply => {
  const look = lookAt(server, command)
  if (get(server, command.tombstone) !== undefined)
    return { status: 'absent', counter: look.lastCounter, ttl: ttlOfReply(look.left) }
  return command.op === 'prepare'
    ? prepareRecord(server, command, look)
    : acceptRecord(server, command, look)
}
