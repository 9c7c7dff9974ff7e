import type { ScriptCall } from '../protocol/script.ts'

/** A key of a memory node: its value, and when it expires by the node's clock, in ms. */
export type MemoryEntry = { readonly value: string; readonly expiresAt: number }

/** What the script finds on a server: its keys, its clock in ms, and the id of its run. */
export type MemoryServer = {
  readonly entries: Map<string, MemoryEntry>
  readonly now: () => number
  readonly run: () => string
}

/** What others may know of a holder: the first bytes of its value, and its metadata. */
const publicPart = (owner: string): string => {
  const bytes = new TextEncoder().encode(owner)
  if (bytes.length < 8) return `h${owner}`
  const space = bytes.indexOf(32, 8)
  const note = space < 0 ? [] : bytes.subarray(space)
  return `h${new TextDecoder().decode(new Uint8Array([...bytes.subarray(0, 8), ...note]))}`
}

// A fence outlives its lock by a day, and follows clients' clocks that are within 5 s of the node's.
const fenceLife = 86_400_000
const tolerance = 5_000

/**
 * Does what the script does on Redis, on keys in memory. A test holds the two against each other in
 * thousands of random sequences of steps.
 *
 * @see {@link lockScript}
 */
export const runTwin = ({ entries, now, run }: MemoryServer, call: ScriptCall): unknown[] => {
  const [operation, owner, text, step, asked, id, quarantine] = call.args
  const keys = [...call.keys]
  const time = Number(text)
  const writes = operation === 'a' || operation === 'e'
  const reply = (status: string, left: number, by = '', counter = 0): unknown[] => {
    const identity = id === undefined ? [] : [known.value]
    return [operation + owner, status, left, by, counter, ...identity]
  }
  /** The entry that is alive. Redis keeps a key until its time has passed, not until it has come. */
  const alive = (key: string): MemoryEntry | undefined => {
    const entry = entries.get(key)
    if (!entry || now() <= entry.expiresAt) return entry
    entries.delete(key)
    return undefined
  }
  const set = (key: string, value: string, life: number): MemoryEntry => {
    const entry = { value, expiresAt: now() + life }
    entries.set(key, entry)
    return entry
  }

  let known: MemoryEntry
  if (id !== undefined) {
    const name = keys.pop()!
    known = alive(name) ?? set(name, id, Infinity)
  }
  if (quarantine !== undefined) {
    const name = keys.pop()!
    let [seen, end = ''] = (alive(name)?.value ?? '').split(' ')
    if (seen !== run()) {
      end = `${now() + Number(quarantine)}`
      set(name, `${run()} ${end}`, Infinity)
    }
    if (Number(end) > now() && operation !== 'r') return reply('quarantined', Number(end) - now())
  }

  const stone = keys.pop()!
  const locks = keys.filter((_, index) => index % Number(step) === 0)
  const fenceOf = (key: string): string => keys[keys.indexOf(key) + 1]!
  const isStone = alive(stone) !== undefined
  let isGone = isStone
  let isNew = false
  let rise = 0
  let counter = 0
  let left = -1
  let by: string | undefined
  for (const key of locks) {
    const held = alive(key)
    const fence = step === '2' ? alive(fenceOf(key))?.value.match(/^(\d+) (.*)/s) : undefined
    counter = Math.max(counter, Number(fence?.[1] ?? 0))
    if (!held) {
      rise = 1
      isGone ||= !writes || Boolean(operation === 'e' && fence && fence[2] !== owner)
      isNew ||= operation === 'e' && !fence
      continue
    }
    // As PTTL has it: whole ms, and -1 where there is no end.
    const rest = Math.floor(held.expiresAt - now())
    left = Math.max(left, rest < Infinity ? rest : -1)
    if (held.value !== owner) by = publicPart(held.value)
    else if (operation === 'r') entries.delete(key)
  }
  if (operation === 'r') set(stone, '', time)
  else if (writes && by === undefined && !isGone) {
    const [least, most] = [now() - tolerance, now() + tolerance]
    const wanted = Math.max(Number(asked), isNew ? now() : 0)
    const floor = operation === 'a' ? Math.max(least, Math.min(most, wanted)) : wanted
    counter = Math.max(counter + rise, floor)
    for (const key of locks) {
      set(key, owner, Math.max(time, (alive(key)?.expiresAt ?? 0) - now()))
      if (step === '2') set(fenceOf(key), `${counter} ${owner}`, time + fenceLife)
    }
  }
  const status = by === undefined ? (isGone || isNew ? 'absent' : 'granted') : 'locked'
  return reply(status, left, by, counter)
}
