import { echoOf, type Reply } from '../protocol/reply.ts'
import type { ScriptInput } from '../protocol/script.ts'
import { get, type MemoryServer, pttl, set } from './memory-server.ts'

// lock.lua in TypeScript, with the same names and the same steps. Its comments say why.

const clockTolerance = 5_000
const fenceTtlWithoutClock = 86_400_000

/** The arguments of the call, and what step 1 makes of them. */
type Arguments = {
  readonly operation: ScriptInput['args'][0]
  readonly owner: string
  readonly value: string
  readonly ttl: number
  readonly fenceTtl: number
  readonly stride: number
  readonly minCounter: number
  /** The clock of the server; undefined where it forbids TIME. */
  readonly clock: number | undefined
  readonly now: number
}

/** The findings of step 4. */
type Findings = {
  readonly status: Reply['status']
  readonly canWrite: boolean
  readonly left: number
  readonly counter: number
  readonly rise: number
  readonly holder: string
  readonly minCounter: number
}

/** Step 1: the clock. */
const readArguments = (
  { now: readClock, refuses }: MemoryServer,
  [operation, owner, ttl, wantedFenceTtl, wantedCounter]: ScriptInput['args'],
): Arguments => {
  // As TIME does: fences hold whole numbers.
  const clock = refuses?.includes('TIME') ? undefined : Math.floor(readClock())
  const minCounter = Number(wantedCounter)
  const now = clock ?? minCounter
  const fenceTtl = Number(wantedFenceTtl)
  return {
    operation,
    owner,
    value: owner.split(' ', 1)[0]!,
    ttl: Number(ttl),
    fenceTtl: clock === undefined ? Math.max(fenceTtl, fenceTtlWithoutClock) : fenceTtl,
    stride: fenceTtl > 0 ? 2 : 1,
    minCounter:
      operation === 'a'
        ? Math.max(now - clockTolerance, Math.min(now + clockTolerance, minCounter))
        : minCounter,
    clock,
    now,
  }
}

/** The second half of step 2: which server is this? */
export const identify = (server: MemoryServer, key: string, identity: string): string => {
  const known = get(server, key)
  if (known === undefined) set(server, key, identity)
  return known ?? identity
}

/** The counter and the value of the last owner that a fence records. */
export const readFence = (
  fence: string = '',
): { lastCounter: number; lastValue: string | undefined } => {
  const [, lastCounter = 0, lastValue] = /^(\d+) (.*)/s.exec(fence) ?? []
  return { lastCounter: Number(lastCounter), lastValue }
}

/** The first eight bytes of a text. */
export const beginOf = (text: string): string =>
  new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, 8))

// A lock, whose value may be followed by metadata, or a record.
const ours = /^[\da-z]{8}(?:(?:-[\da-z]+){4}(?: |$)| d \d+ )/i

/**
 * The part of an owner that others may see: the first eight bytes of the value, and the metadata. Of foreign data,
 * nothing.
 *
 * @param life - Ms that the key has left; -1 if it never expires.
 */
export const holderOf = (owner: string, life: number): string => {
  if (!ours.test(owner) || life < 0) return 'hforeign'
  const bytes = new TextEncoder().encode(owner)
  const space = bytes.indexOf(32, 8)
  const metadata = space < 0 ? [] : bytes.subarray(space)
  return `h${new TextDecoder().decode(new Uint8Array([...bytes.subarray(0, 8), ...metadata]))}`
}

/** What the keys have shown so far. */
type Look = {
  -readonly [name in keyof Findings]: Findings[name]
} & { wasForced: boolean; isEndless: boolean }

/** Notes a key that nobody holds, by the last value of its fence. */
const noteFree = (
  look: Look,
  { operation, value, clock }: Arguments,
  lastValue: string | undefined,
): void => {
  look.rise = 1
  if (look.canWrite && (operation !== 'e' || lastValue === value)) return
  look.status = 'absent'
  look.canWrite &&= lastValue === undefined && clock !== undefined
  if (look.canWrite) look.minCounter = Math.max(look.minCounter, clock!)
  if (lastValue === `-${beginOf(value)}`) look.wasForced = true
}

/** Notes a key that somebody holds. Of several holders, foreign data takes precedence. */
const noteHeld = (look: Look, { owner }: Arguments, holder: string, life: number): void => {
  look.left = Math.max(look.left, life)
  if (holder === owner) return
  look.canWrite = false
  look.isEndless ||= life < 0
  if (look.holder !== 'hforeign') look.holder = holderOf(holder, life)
}

/** Steps 3 and 4: has this owner released before? Look at every key. A release deletes as it goes. */
const lookAtKeys = (
  server: MemoryServer,
  given: Arguments,
  keys: readonly string[],
  tombstone: string,
): Findings => {
  const { operation, owner, fenceTtl, stride, minCounter } = given
  const isReleased = get(server, tombstone) !== undefined
  const look: Look = {
    status: isReleased ? 'absent' : 'granted',
    canWrite: !isReleased && ['a', 'e'].includes(operation),
    left: -1,
    counter: 0,
    rise: 0,
    holder: '',
    minCounter,
    wasForced: false,
    isEndless: false,
  }
  for (let index = 0; index < keys.length; index += stride) {
    const key = keys[index]!
    const holder = get(server, key)
    const fence = stride === 2 ? get(server, keys[index + 1]!) : undefined
    const { lastCounter, lastValue } = readFence(fence)
    look.counter = Math.max(look.counter, lastCounter)
    if (holder === undefined) noteFree(look, given, lastValue)
    else if (operation === 'r' && holder === owner) {
      server.entries.delete(key)
      if (fence !== undefined) set(server, keys[index + 1]!, fence, fenceTtl)
    } else noteHeld(look, given, holder, Math.floor(pttl(server, key)))
  }
  const { wasForced, isEndless, ...found } = look
  if (isEndless) found.left = -1
  if (found.holder) found.status = 'locked'
  else if (wasForced) found.left = -2
  return found
}

/** Step 5: write all keys. @returns the new counter. */
const writeKeys = (
  server: MemoryServer,
  { owner, value, ttl, fenceTtl, stride }: Arguments,
  keys: readonly string[],
  { left, counter, rise, minCounter }: Findings,
): number => {
  const raised = Math.max(counter + rise, minCounter)
  const life = Math.max(ttl, left)
  for (let index = 0; index < keys.length; index += stride) {
    const key = keys[index]!
    set(server, key, owner, life)
    if (stride === 2) set(server, keys[index + 1]!, `${raised} ${value}`, life + fenceTtl)
  }
  return raised
}

/** The state of a script after steps 1 and 2. */
export type Begun = {
  readonly given: Arguments
  /** The keys without that of the identity. */
  readonly keys: string[]
  readonly identity: string | undefined
}

/** Steps 1 and 2 of every script. */
export const beginScript = (server: MemoryServer, { keys: names, args }: ScriptInput): Begun => {
  const newIdentity = args[5]
  const keys = [...names]
  const identity =
    newIdentity === undefined ? undefined : identify(server, keys.pop()!, newIdentity)
  return { given: readArguments(server, args), keys, identity }
}

/**
 * Runs the lock script on keys in memory. A test compares this emulator with the script on a real
 * Redis in thousands of random sequences of operations.
 */
export const emulateScript = (server: MemoryServer, call: ScriptInput): Reply => {
  const { given, keys, identity } = beginScript(server, call)
  const { operation } = given
  const tombstone = keys.pop()!
  const findings = lookAtKeys(server, given, keys, tombstone)
  if (operation === 'r') set(server, tombstone, '', given.ttl)
  const { status, canWrite, left, holder } = findings
  const counter = canWrite ? writeKeys(server, given, keys, findings) : findings.counter
  return { echo: echoOf(call.args), status, left, holder, counter, identity }
}
