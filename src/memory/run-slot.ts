import type { AcquireSlot } from '../protocol/command.ts'
import { foreign, type Reply } from '../protocol/reply.ts'
import { get, type MemoryServer, pttl, set } from './memory-server.ts'
import { fenceTtlOf, leftOf, minCounterOf, otherOf, readFence, ttlOfReply } from './run-lock.ts'

// slot.lua in TypeScript, with the same steps, but with slot numbers instead of key indexes. The comments there explain
// why.

/** The holder of a slot, as other clients see it. */
const holderOf = (owner: string): string => {
  const other = otherOf(owner, 0)
  return 'holder' in other ? other.holder : foreign
}

/** The state of the slots. */
type SlotReading = {
  readonly holders: readonly (string | null)[]
  /** The slot of this owner, if it has one. */
  readonly own: number | undefined
  readonly free: readonly number[]
}

/** Step 4: examines every slot. With `isOnly`, any other slot of this owner becomes free. */
const lookAtSlots = (
  server: MemoryServer,
  { keys, owner, slot, isOnly }: AcquireSlot,
): SlotReading => {
  const holders: (string | null)[] = []
  let own: number | undefined
  const free: number[] = []
  for (const [index, key] of keys.entries()) {
    const isWanted = !isOnly || index + 1 === slot
    if (!isWanted && get(server, key) === owner) server.entries.delete(key)
    const current = get(server, key)
    holders.push(current === undefined ? null : holderOf(current))
    if (current === owner) own ??= index + 1
    else if (current === undefined && isWanted) free.push(index + 1)
  }
  return { holders, own, free }
}

/**
 * The reply if no acceptable slot is free. It contains the remaining TTL and the holder of the slot that expires first.
 */
const rejection = (
  server: MemoryServer,
  { keys, slot, isOnly }: AcquireSlot,
  holders: SlotReading['holders'],
): Reply => {
  let left = -1
  let holder: string | undefined
  for (const [index, key] of keys.entries()) {
    if (isOnly && index + 1 !== slot) continue
    const life = leftOf(server, key)
    if (life >= 0 && (left < 0 || life < left)) [left, holder] = [life, holders[index]!]
  }
  if (holders.includes(null)) left = 0
  const told = { ttl: ttlOfReply(left), holders, counter: 0 }
  return left < 0 || holder === foreign
    ? { status: 'foreign', ...told }
    : { status: 'locked', holder, ...told }
}

/** Acquires one of several keys. */
export const runSlot = (server: MemoryServer, command: AcquireSlot): Reply => {
  const { keys, fences, tombstone, owner, value, ttl, slot: first } = command
  if (get(server, tombstone) !== undefined) {
    for (const key of keys) if (get(server, key) === owner) server.entries.delete(key)
    return { status: 'absent', counter: 0 }
  }
  const { holders, own, free } = lookAtSlots(server, command)

  // Step 5: writes the slot.
  const slot = own ?? free.find((one) => one >= first) ?? free[0]
  if (slot === undefined) return rejection(server, command, holders)
  const key = keys[slot - 1]!
  const life = Math.max(ttl, pttl(server, key))
  set(server, key, owner, life)
  const fence = fences[slot - 1]
  let counter = 0
  if (fence !== undefined) {
    const { lastCounter } = readFence(get(server, fence))
    const least = minCounterOf(server, command.minCounter)
    counter = Math.max(own === undefined ? lastCounter + 1 : lastCounter, least)
    set(server, fence, `${counter} ${value}`, life + fenceTtlOf(server, command))
  }
  return { status: 'granted', slot, holders, counter }
}
