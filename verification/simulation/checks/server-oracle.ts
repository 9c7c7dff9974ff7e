import type { Reply } from '../../../src/protocol/reply.ts'
import type { ScriptCall } from '../../../src/protocol/script.ts'
import type { MemoryEntry } from '../../../src/testing/memory-server.ts'
import type { World } from '../engine/event-loop.ts'

/** What really happens on the servers, which no client knows. */
export type Truth = {
  /** When the first request for a value was sent. */
  readonly firstSent: Map<string, number>
  /** By process and key: when the last of its values was first sent. */
  readonly lastAsked: Map<string, number>
  /** By value: the servers that have granted it, and when they were last asked to acquire it. */
  readonly granted: Map<string, Map<string, number>>
  /** By value: the servers that have it, as far as they have not lost it by a restart. */
  readonly knownOn: Map<string, Set<string>>
  /** By value: when which of these last told that it is still theirs, to an extend. */
  readonly extended: Map<string, Map<string, number>>
  /** By value: the servers that have told so many times that it is theirs, and with which counter. */
  readonly told: Map<string, Map<number, Set<string>>>
  /** By value: when it first was on a quorum of servers at the same time. */
  readonly onQuorum: Map<string, { readonly at: number; readonly keys: readonly string[] }>
}

/** Watches the servers at their work. */
export type Watch = {
  readonly truth: Truth
  readonly executed: (
    server: string,
    entries: ReadonlyMap<string, MemoryEntry>,
    wall: () => number,
    call: ScriptCall,
    reply: Reply,
  ) => void
  /** A server has restarted, with these entries. */
  readonly restarted: (server: string, entries: ReadonlyMap<string, MemoryEntry>) => void
}

export const watchServers = (
  { now }: World,
  quorum: () => number,
  met: (what: string) => void,
  violated: (check: string, text: string) => void,
): Watch => {
  // By server and key: who was granted it last, with which counter.
  const last = new Map<string, { value: string; fence: number }>()
  const live = new Map<string, { entries: ReadonlyMap<string, MemoryEntry>; wall: () => number }>()
  const truth: Truth = {
    firstSent: new Map(),
    lastAsked: new Map(),
    granted: new Map(),
    knownOn: new Map(),
    extended: new Map(),
    told: new Map(),
    onQuorum: new Map(),
  }
  const isOnQuorum = (key: string, value: string): boolean => {
    let count = 0
    for (const { entries, wall } of live.values()) {
      const entry = entries.get(key)
      if (entry && entry.value.startsWith(value) && wall() <= entry.expiresAt) count++
    }
    return count >= quorum()
  }
  const noteFence = (server: string, value: string, fence: number): void => {
    const told = truth.told.get(value) ?? new Map<number, Set<string>>()
    truth.told.set(value, told)
    told.set(fence, (told.get(fence) ?? new Set()).add(server))
  }
  const noteGrant = (server: string, call: ScriptCall, fence: number): void => {
    const [operation, owner, , step] = call.args
    const value = owner.split(' ')[0]!
    const known = truth.knownOn.get(value) ?? new Set<string>()
    const times = operation === 'a' ? truth.granted : truth.extended
    if (operation === 'a') truth.knownOn.set(value, known.add(server))
    if (known.has(server)) {
      times.set(value, (times.get(value) ?? new Map<string, number>()).set(server, now()))
    }
    if (step !== '2') return
    const keys = call.keys.filter((key) => key.startsWith('lock:l:'))
    for (const key of keys) {
      const before = last.get(`${server} ${key}`)
      const rises = before?.value === value ? fence >= before.fence : fence > (before?.fence ?? 0)
      if (!rises) {
        violated('counter', `${server} gave ${key} to ${value} at ${fence}, after ${before?.fence}`)
      }
      last.set(`${server} ${key}`, { value, fence })
    }
    if (!truth.onQuorum.has(value) && keys.every((key) => isOnQuorum(key, value))) {
      truth.onQuorum.set(value, { at: now(), keys: keys.map((key) => key.slice(7)) })
    }
  }
  return {
    truth,
    executed: (server, entries, wall, call, { status, left, counter }) => {
      live.set(server, { entries, wall })
      const [operation] = call.args
      if (status === 'quarantined') met('a node in quarantine')
      if (operation === 'a' && status === 'absent') met('an acquire after its release')
      if (operation === 'e' && status === 'granted' && left < 0) met('a healed node')
      if (operation === 'e' && status === 'absent') met('a node that lost the lock')
      if (status === 'granted') {
        noteFence(server, call.args[1].split(' ')[0]!, counter)
        if (operation === 'a' || operation === 'e') noteGrant(server, call, counter)
      }
      // It came up empty, and has the lock again from now on.
      const isBack = operation === 'e' && status === 'absent'
      if (isBack && entries.get(call.keys[0]!)?.value === call.args[1]) {
        truth.knownOn.get(call.args[1].split(' ')[0]!)?.add(server)
      }
    },
    restarted: (server, entries) => {
      for (const key of last.keys()) if (key.startsWith(`${server} `)) last.delete(key)
      const owners = new Set([...entries.values()].map((entry) => entry.value.split(' ')[0]))
      for (const [value, servers] of truth.knownOn) if (!owners.has(value)) servers.delete(server)
    },
  }
}
