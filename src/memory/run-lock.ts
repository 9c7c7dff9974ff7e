import type { Acquire, Extend, Inspect, KeyCommand, Release } from '../protocol/command.ts'
import { beginOf, doneStatus, type Reply, splitHolder } from '../protocol/reply.ts'
import { get, type MemoryServer, pttl, set } from './memory-server.ts'

// lock.lua in TypeScript, with the same names and steps. The comments there explain why.

const clockTolerance = 5_000
const fenceTtlWithoutClock = 86_400_000

/**
 * Step 1: the time on the server's clock, in whole ms, because counters are integers. Undefined if TIME is forbidden.
 */
export const clockOf = ({ now, rejects }: MemoryServer): number | undefined =>
  rejects?.includes('TIME') ? undefined : Math.floor(now())

/**
 * How long fences outlive their locks, in ms: at least a day if TIME is forbidden, because counters then follow the
 * clocks of clients.
 */
export const fenceTtlOf = (server: MemoryServer, { fenceTtl }: KeyCommand): number =>
  clockOf(server) === undefined ? Math.max(fenceTtl, fenceTtlWithoutClock) : fenceTtl

/**
 * The minimum counter of an acquire: the one that the client requested, but limited to the vicinity of the server's
 * clock.
 */
export const minCounterOf = (server: MemoryServer, wanted: number): number => {
  const now = clockOf(server) ?? wanted
  return Math.max(now - clockTolerance, Math.min(now + clockTolerance, wanted))
}

/** Parses a fence into its counter and the value of the last owner. */
export const readFence = (
  fence: string = '',
): { lastCounter: number; lastValue: string | undefined } => {
  const [, lastCounter = 0, lastValue] = /^(\d+) (.*)/s.exec(fence) ?? []
  return { lastCounter: Number(lastCounter), lastValue }
}

// Matches a lock, whose value can be followed by metadata, or a record.
const ours = /^[\da-z]{8}(?:(?:-[\da-z]+){4}(?: |$)| d \d+ )/i

/** The holder of a key, as other clients see it. */
export type Other =
  | { readonly status: 'foreign' }
  | { readonly status: 'locked'; readonly holder: string; readonly metadata: string | undefined }

/**
 * The public part of an owner: the first eight bytes of the value, and the metadata. Foreign data stays hidden.
 *
 * @param left - Ms until the key expires; negative if it never expires.
 */
export const otherOf = (owner: string, left: number): Other => {
  if (!ours.test(owner) || left < 0) return { status: 'foreign' }
  const bytes = new TextEncoder().encode(owner)
  const space = bytes.indexOf(32, 8)
  const metadata = space < 0 ? [] : bytes.subarray(space)
  const text = new TextDecoder().decode(new Uint8Array([...bytes.subarray(0, 8), ...metadata]))
  return { status: 'locked', ...splitHolder(text) }
}

/** The remaining TTL for a reply, in ms; undefined for a key that is missing or never expires. */
export const ttlOfReply = (left: number): number | undefined => (left < 0 ? undefined : left)

/** The remaining TTL of a key in whole ms; negative if the key is missing or never expires. */
export const leftOf = (server: MemoryServer, key: string): number => Math.floor(pttl(server, key))

/** The state of the keys that have been examined so far. */
type LockReading = {
  /** Whether this owner holds each key, or will hold it once the keys are written. Irrelevant if `other` is set. */
  isHeld: boolean
  canWrite: boolean
  left: number
  counter: number
  /** 1 if a key is missing, so that the counter must rise; otherwise 0. */
  rise: 0 | 1
  minCounter: number
  other: Other | undefined
  isEndless: boolean
  wasForced: boolean
}

/** A command on locks. */
type LockCommand = Acquire | Extend | Inspect | Release

/** Notes a free key. The last owner in its fence determines whether an extend can restore the key. */
const noteFree = (
  look: LockReading,
  { op, value }: LockCommand,
  lastValue: string | undefined,
  clock: number | undefined,
): void => {
  look.rise = 1
  if (look.canWrite && (op !== 'extend' || lastValue === value)) return
  look.isHeld = false
  look.canWrite &&= lastValue === undefined && clock !== undefined
  if (look.canWrite) look.minCounter = Math.max(look.minCounter, clock!)
  if (lastValue === `-${beginOf(value)}`) look.wasForced = true
}

/** Notes a key that has an owner. If several keys have other owners, foreign data takes precedence. */
const noteHeld = (
  look: LockReading,
  { owner }: LockCommand,
  holder: string,
  left: number,
): void => {
  look.left = Math.max(look.left, left)
  if (holder === owner) return
  look.canWrite = false
  look.isEndless ||= left < 0
  if (look.other?.status !== 'foreign') look.other = otherOf(holder, left)
}

/**
 * Steps 3 and 4: checks whether this owner has already released, and then examines every key. A release deletes the
 * owner's keys in the same pass.
 */
const lookAtKeys = (server: MemoryServer, command: LockCommand): LockReading => {
  const { op, keys, fences, tombstone, owner } = command
  const isReleased = get(server, tombstone) !== undefined
  const wanted = 'minCounter' in command ? command.minCounter : 0
  const look: LockReading = {
    isHeld: !isReleased,
    canWrite: !isReleased && (op === 'acquire' || op === 'extend'),
    left: -1,
    counter: 0,
    rise: 0,
    minCounter: op === 'acquire' ? minCounterOf(server, wanted) : wanted,
    other: undefined,
    isEndless: false,
    wasForced: false,
  }
  for (const [index, key] of keys.entries()) {
    const fenceKey = fences[index]
    const fence = fenceKey === undefined ? undefined : get(server, fenceKey)
    const { lastCounter, lastValue } = readFence(fence)
    const current = get(server, key)
    look.counter = Math.max(look.counter, lastCounter)
    if (current === undefined) noteFree(look, command, lastValue, clockOf(server))
    else if (op === 'release' && current === owner) {
      server.entries.delete(key)
      if (fence !== undefined) set(server, fenceKey!, fence, fenceTtlOf(server, command))
    } else noteHeld(look, command, current, leftOf(server, key))
  }
  return look
}

/** Step 5: writes all keys. @returns the new counter. */
const writeKeys = (server: MemoryServer, command: Acquire | Extend, look: LockReading): number => {
  const { keys, fences, owner, value, ttl } = command
  const counter = Math.max(look.counter + look.rise, look.minCounter)
  const life = Math.max(ttl, look.left)
  const fenceTtl = fenceTtlOf(server, command)
  for (const [index, key] of keys.entries()) {
    set(server, key, owner, life)
    const fence = fences[index]
    if (fence !== undefined) set(server, fence, `${counter} ${value}`, life + fenceTtl)
  }
  return counter
}

/**
 * Runs a command on locks. A test compares this function with the script on a real Redis server, over thousands of
 * random sequences.
 */
export const runLock = (server: MemoryServer, command: LockCommand): Reply => {
  const look = lookAtKeys(server, command)
  let { counter } = look
  if (command.op === 'release') set(server, command.tombstone, '', command.tombstoneTtl)
  else if (look.canWrite && command.op !== 'inspect') counter = writeKeys(server, command, look)
  const ttl = look.isEndless ? undefined : ttlOfReply(look.left)
  if (look.other) return { ...look.other, counter, ttl }
  if (look.isHeld) return { status: doneStatus[command.op], counter, ttl }
  return look.wasForced
    ? { status: 'absent', counter, wasForced: true }
    : { status: 'absent', counter, ttl }
}
