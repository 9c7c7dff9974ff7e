import { echoOf, type Reply } from '../protocol/reply.ts'
import type { ScriptCall } from '../protocol/script.ts'
import { get, type MemoryServer, pttl, set } from './memory-server.ts'

// lock.lua in TypeScript, with the same names and the same steps. Its comments say why.

const fenceLife = 86_400_000
const clockTolerance = 5_000

/** The findings of step 5. */
type Findings = {
  readonly status: Reply['status']
  readonly canWrite: boolean
  readonly left: number
  readonly counter: number
  readonly rise: number
  readonly holder: string
  readonly minCounter: number
}

/** Step 2: which server is this? */
export const identify = (server: MemoryServer, key: string, identity: string): string => {
  const known = get(server, key)
  if (known === undefined) set(server, key, identity)
  return known ?? identity
}

/** Step 3: has it restarted? @returns ms until the quarantine ends; not positive once it has ended. */
const quarantineLeft = (server: MemoryServer, key: string, quarantine: number): number => {
  const [run, now] = [server.run(), server.now()]
  let [lastRun, quarantineEnd = ''] = (get(server, key) ?? '').split(' ')
  if (lastRun !== run) {
    quarantineEnd = `${now + quarantine}`
    set(server, key, `${run} ${quarantineEnd}`)
  }
  return Number(quarantineEnd) - now
}

/** The counter and the last owner that a fence records. */
const readFence = (fence: string = ''): { lastCounter: number; lastOwner: string | undefined } => {
  const [, lastCounter = 0, lastOwner] = /^(\d+) (.*)/s.exec(fence) ?? []
  return { lastCounter: Number(lastCounter), lastOwner }
}

/** The part of an owner that others may see: the first eight bytes of the value, and the metadata. */
const holderOf = (owner: string): string => {
  const bytes = new TextEncoder().encode(owner)
  if (bytes.length < 8) return `h${owner}`
  const space = bytes.indexOf(32, 8)
  const metadata = space < 0 ? [] : bytes.subarray(space)
  return `h${new TextDecoder().decode(new Uint8Array([...bytes.subarray(0, 8), ...metadata]))}`
}

/** Steps 4 and 5: has this owner released before? Look at every key. A release deletes as it goes. */
const lookAtKeys = (
  server: MemoryServer,
  [operation, owner, , stride]: ScriptCall['args'],
  keys: readonly string[],
  tombstone: string,
  minCounter: number,
): Findings => {
  let status: Reply['status'] = 'granted'
  let canWrite = operation === 'a' || operation === 'e'
  let [left, counter, rise, holder, min] = [-1, 0, 0, '', minCounter]
  if (get(server, tombstone) !== undefined) {
    status = 'absent'
    canWrite = false
  }
  for (let index = 0; index < keys.length; index += Number(stride)) {
    const key = keys[index]!
    const currentOwner = get(server, key)
    const fence = stride === '2' ? get(server, keys[index + 1]!) : undefined
    const { lastCounter, lastOwner } = readFence(fence)
    left = Math.max(left, Math.floor(pttl(server, key)))
    counter = Math.max(counter, lastCounter)
    if (currentOwner === undefined) {
      rise = 1
      if (!canWrite || (operation === 'e' && lastOwner !== owner)) {
        status = 'absent'
        canWrite &&= lastOwner === undefined
        if (canWrite) min = Math.max(min, server.now())
      }
    } else if (currentOwner !== owner) {
      canWrite = false
      holder = holderOf(currentOwner)
    } else if (operation === 'r') {
      server.entries.delete(key)
    }
  }
  if (holder) status = 'locked'
  return { status, canWrite, left, counter, rise, holder, minCounter: min }
}

/** Step 6: write all keys. @returns the new counter. */
const writeKeys = (
  server: MemoryServer,
  [, owner, time, stride]: ScriptCall['args'],
  keys: readonly string[],
  { counter, rise, minCounter }: Findings,
): number => {
  const ttl = Number(time)
  const raised = Math.max(counter + rise, minCounter)
  for (let index = 0; index < keys.length; index += Number(stride)) {
    const key = keys[index]!
    set(server, key, owner, Math.max(ttl, pttl(server, key)))
    if (stride === '2') set(server, keys[index + 1]!, `${raised} ${owner}`, ttl + fenceLife)
  }
  return raised
}

/**
 * Runs the lock script on keys in memory. A test compares this emulator with the script on a real
 * Redis in thousands of random sequences of operations.
 */
export const emulateScript = (server: MemoryServer, { keys: names, args }: ScriptCall): Reply => {
  const [operation, , ttl, , fence, newIdentity, quarantine] = args
  const keys = [...names]
  const echo = echoOf(args)

  // Step 1: the clock.
  const now = server.now()
  let minCounter = Number(fence)
  if (operation === 'a') {
    minCounter = Math.max(now - clockTolerance, Math.min(now + clockTolerance, minCounter))
  }

  const identity =
    newIdentity === undefined ? undefined : identify(server, keys.pop()!, newIdentity)
  if (quarantine !== undefined) {
    const left = quarantineLeft(server, keys.pop()!, Number(quarantine))
    if (left > 0 && operation !== 'r') {
      return { echo, status: 'quarantined', left, holder: '', counter: 0, identity }
    }
  }
  const tombstone = keys.pop()!
  const findings = lookAtKeys(server, args, keys, tombstone, minCounter)
  if (operation === 'r') set(server, tombstone, '', Number(ttl))
  const { status, canWrite, left, holder } = findings
  const counter = canWrite ? writeKeys(server, args, keys, findings) : findings.counter
  return { echo, status, left, holder, counter, identity }
}
