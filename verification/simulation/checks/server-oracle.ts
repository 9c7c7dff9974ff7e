import { holderOf, type ScriptCall, type WireReply } from '../../../tools/redis-wire.ts'
import type { MemoryEntry } from '../../../src/memory/memory-server.ts'
import type { EventLoop } from '../engine/event-loop.ts'

/** A record of all server actions, hidden from clients. The checks compare the results of clients with it. */
type ServerOracle = {
  /** By lock value: when its first request was sent. */
  readonly firstSent: Map<string, number>
  /** By process and key: when the first request for the latest lock value was sent. */
  readonly lastRequested: Map<string, number>
  /** By lock value: the servers that have granted the lock, and when each last executed the acquire. */
  readonly granted: Map<string, Map<string, number>>
  /** By lock value and key: the servers that have granted the lock. A request can be for one of several keys. */
  readonly grantedKeys: Map<string, Set<string>>
  /** By lock value: the servers that have granted the lock and not lost it in a restart. */
  readonly knownOn: Map<string, Set<string>>
  /** By lock value: when each server in `knownOn` last confirmed an extension. */
  readonly extended: Map<string, Map<string, number>>
  /** By lock value with its first key, and by counter: the servers that reported this counter with a grant. */
  readonly reported: Map<string, Map<number, Set<string>>>
  /** By lock value: when the lock was first on a quorum of servers at the same time. */
  readonly onQuorum: Map<string, { readonly at: number; readonly keys: readonly string[] }>
}

/** Fills the oracle. */
export type ServerObserver = {
  readonly oracle: ServerOracle
  /** Records that a server has executed a script. */
  readonly executed: (
    server: string,
    entries: ReadonlyMap<string, MemoryEntry>,
    wall: () => number,
    call: ScriptCall,
    reply: WireReply,
  ) => void
  /** Records that a server has restarted with these entries. */
  readonly restarted: (server: string, entries: ReadonlyMap<string, MemoryEntry>) => void
}

const valueOf = (owner: string): string => owner.split(' ')[0]!

/** The lock key that belongs to a Redis key. */
const keyOf = (name: string): string => name.replace(/^lock:[lrt]:/, '')

export const observeServers = (
  { now }: EventLoop,
  quorum: number,
  covered: (name: string) => void,
  violated: (check: string, text: string) => void,
): ServerObserver => {
  // By server and key: the last lock value that was granted, and its counter.
  const lastGrants = new Map<string, { value: string; counter: number }>()
  const servers = new Map<
    string,
    { entries: ReadonlyMap<string, MemoryEntry>; wall: () => number }
  >()
  const oracle: ServerOracle = {
    firstSent: new Map(),
    lastRequested: new Map(),
    granted: new Map(),
    grantedKeys: new Map(),
    knownOn: new Map(),
    extended: new Map(),
    reported: new Map(),
    onQuorum: new Map(),
  }
  const isOnQuorum = (key: string, value: string): boolean => {
    let count = 0
    for (const { entries, wall } of servers.values()) {
      const entry = entries.get(key)
      if (entry && entry.value.startsWith(value) && wall() <= entry.expiresAt) count++
    }
    return count >= quorum
  }
  const noteReport = (server: string, { args, keys }: ScriptCall, counter: number): void => {
    const id = `${valueOf(args[1])} ${keyOf(keys[0]!)}`
    const reported = oracle.reported.get(id) ?? new Map<number, Set<string>>()
    oracle.reported.set(id, reported)
    reported.set(counter, (reported.get(counter) ?? new Set()).add(server))
  }
  /** Checks that a server increments its counter whenever a key passes to another lock value. */
  const checkCounter = (server: string, key: string, value: string, counter: number): void => {
    const before = lastGrants.get(`${server} ${key}`)
    const rises =
      before?.value === value ? counter >= before.counter : counter > (before?.counter ?? 0)
    if (!rises) {
      violated(
        'counter',
        `${server} gave ${key} to ${value} at ${counter}, after ${before?.counter}`,
      )
    }
    lastGrants.set(`${server} ${key}`, { value, counter })
  }
  /** Checks that a server with a lock also has its fence, which expires later. */
  const checkFences = (server: string, names: readonly string[]): void => {
    const { entries, wall } = servers.get(server)!
    for (const [index, key] of names.entries()) {
      const lock = key.startsWith('lock:l:') ? entries.get(key) : undefined
      if (!lock || wall() > lock.expiresAt) continue
      const fence = entries.get(names[index + 1]!)
      if (fence && fence.expiresAt > lock.expiresAt) continue
      violated('fence', `${server} would keep ${key} for longer than its fence`)
    }
  }
  const noteGrant = (server: string, call: ScriptCall, counter: number): void => {
    const [operation, owner, , fenceTtl] = call.args
    const value = valueOf(owner)
    const known = oracle.knownOn.get(value) ?? new Set<string>()
    const times = operation === 'a' ? oracle.granted : oracle.extended
    if (operation === 'a') {
      oracle.knownOn.set(value, known.add(server))
      for (const name of call.keys) {
        const key = `${value} ${keyOf(name)}`
        oracle.grantedKeys.set(key, (oracle.grantedKeys.get(key) ?? new Set()).add(server))
      }
    }
    if (known.has(server)) {
      times.set(value, (times.get(value) ?? new Map<string, number>()).set(server, now()))
    }
    // Each key of a lock is followed by a fence key; the keys of throttles are not.
    if (fenceTtl === '0') return
    checkFences(server, call.keys)
    const keys = call.keys.filter((key) => key.startsWith('lock:l:'))
    for (const key of keys) checkCounter(server, key, value, counter)
    if (!oracle.onQuorum.has(value) && keys.every((key) => isOnQuorum(key, value))) {
      oracle.onQuorum.set(value, { at: now(), keys: keys.map((key) => key.slice(7)) })
    }
  }
  return {
    oracle,
    executed: (server, entries, wall, call, { status, left, counter, holder }) => {
      servers.set(server, { entries, wall })
      const [operation, owner] = call.args
      // A request can arrive twice, and the client may receive the reply to either copy.
      if (operation === 'a' && status === 'locked' && holder === holderOf(owner)) {
        violated('idempotence', `${server} rejected ${owner} because of itself`)
      }
      if (status === 'quarantined') covered('quarantined node')
      if (operation === 'a' && status === 'absent') covered('acquire after its release')
      if (operation === 'e' && status === 'granted' && left < 0) {
        covered('extend restores the lock on a node')
      }
      if (operation === 'e' && status === 'absent') covered('extend on a node without the lock')
      if (status === 'granted') {
        noteReport(server, call, counter)
        if (operation === 'a' || operation === 'e') noteGrant(server, call, counter)
      }
      // A server that restarted without data replies `absent`, and has the lock again from now on.
      const isRestored = operation === 'e' && status === 'absent'
      if (isRestored && entries.get(call.keys[0]!)?.value === owner) {
        oracle.knownOn.get(valueOf(owner))?.add(server)
      }
    },
    restarted: (server, entries) => {
      for (const key of lastGrants.keys()) if (key.startsWith(`${server} `)) lastGrants.delete(key)
      const values = new Set([...entries.values()].map((entry) => valueOf(entry.value)))
      for (const [value, servers] of oracle.knownOn) if (!values.has(value)) servers.delete(server)
    },
  }
}
