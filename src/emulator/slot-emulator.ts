import { echoOf, type Reply } from '../protocol/reply.ts'
import type { ScriptInput } from '../protocol/script.ts'
import { get, type MemoryServer, pttl, set } from './memory-server.ts'
import { beginScript, holderOf, readFence } from './script-emulator.ts'

// slot.lua in TypeScript, step by step, with numbers of slots in place of indexes of keys. Its comments say why.

/** The call as lock.lua would get it, and the slot that it wants besides. */
const splitCall = (call: ScriptInput): { call: ScriptInput; mode: string; first: number } => {
  const [operation, owner, ttl, fenceTtl, minCounter, wanted = '', ...rest] = call.args
  const [mode = '', first] = wanted.split(' ')
  const args = [operation, owner, ttl, fenceTtl, minCounter, ...rest] as const
  return { call: { ...call, args }, mode, first: Number(first) }
}

/** Runs the slot script on keys in memory. */
export const emulateSlot = (server: MemoryServer, given: ScriptInput): Reply => {
  const { call, mode, first } = splitCall(given)
  const begun = beginScript(server, call)
  const { keys, identity } = begun
  const { owner, value, ttl, fenceTtl, minCounter, stride } = begun.given
  const reply = { echo: echoOf(call.args), identity }
  if (get(server, keys.pop()!) !== undefined) {
    for (const key of keys.filter((_, index) => index % stride === 0)) {
      if (get(server, key) === owner) server.entries.delete(key)
    }
    return { ...reply, status: 'absent', left: -1, holder: '', counter: 0 }
  }

  // Step 4: look at every slot.
  const count = keys.length / stride
  const holders = Array.from({ length: count }, () => '-')
  const numbers = holders.map((_, index) => index + 1)
  const isWanted = (slot: number): boolean => mode === 'any' || slot === first
  const keyOf = (slot: number): string => keys[(slot - 1) * stride]!
  let own: number | undefined
  const free: number[] = []
  for (const slot of numbers) {
    const key = keyOf(slot)
    if (get(server, key) === owner && !isWanted(slot)) server.entries.delete(key)
    const current = get(server, key)
    if (current !== undefined) holders[slot - 1] = holderOf(current, 0).slice(1).split(' ', 1)[0]!
    if (current === owner) own ??= slot
    else if (current === undefined && isWanted(slot)) free.push(slot)
  }

  // Step 5: write the slot.
  const slot = own ?? free.find((one) => one >= first) ?? free[0]
  const names = holders.join(' ')
  if (slot === undefined) {
    let [left, holder] = [-1, '-']
    for (const taken of numbers.filter(isWanted)) {
      const life = Math.floor(pttl(server, keyOf(taken)))
      if (life >= 0 && (left < 0 || life < left)) [left, holder] = [life, holders[taken - 1]!]
    }
    if (holders.includes('-')) left = 0
    return { ...reply, status: 'locked', left, holder: `h${holder} ${names}`, counter: 0 }
  }
  const key = keyOf(slot)
  const life = Math.max(ttl, pttl(server, key))
  set(server, key, owner, life)
  let counter = 0
  if (stride === 2) {
    const fenceKey = keys[slot * stride - 1]!
    const { lastCounter } = readFence(get(server, fenceKey))
    counter = Math.max(own === undefined ? lastCounter + 1 : lastCounter, minCounter)
    set(server, fenceKey, `${counter} ${value}`, life + fenceTtl)
  }
  return { ...reply, status: 'granted', left: slot, holder: `h- ${names}`, counter }
}
