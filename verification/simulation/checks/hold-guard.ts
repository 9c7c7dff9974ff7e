import type { Lock } from '../../../src/index.ts'
import type { Server } from '../engine/server.ts'
import type { Scenario } from '../workload/scenario.ts'

/** Checks that no lock is lost which a quorum of servers that are well holds. */
export type HoldGuard = {
  readonly begin: (lock: Lock) => void
  readonly end: (lock: Lock) => void
  readonly lost: (lock: Lock) => void
  /** Whether the locks that stand on a well quorum still do so if another server gets sick. */
  readonly mayStrike: (server: Server) => boolean
}

// The share of the validity that must be left for that: an extension is due when half of it is.
const minLeft = 0.5

/** `isSick` tells which servers are sick at the moment. */
export const makeHoldGuard = (
  { loop, servers, quorum, recorder, options }: Scenario,
  isSick: (server: Server) => boolean,
): HoldGuard => {
  /** The locks that are held, and those of them that stood on a well quorum once. */
  const held = new Set<Lock>()
  const standing = new Set<Lock>()
  /** Whether a server has the lock for as long as it is valid: it took part in the last extension. */
  const has = ({ entries, wall }: Server, { keys, value, expiresIn }: Lock): boolean =>
    keys.every((key) => {
      const entry = entries.get(`lock:l:${key}`)
      return entry?.value.startsWith(value) === true && wall() + expiresIn <= entry.expiresAt
    })
  const stands = (lock: Lock, without?: Server): boolean =>
    servers.filter((server) => server !== without && !isSick(server) && has(server, lock)).length >=
    quorum
  // A lock that comes to stand on a well quorum later needs the time to be extended there.
  const update = (): void => {
    for (const lock of held) {
      if (lock.expiresIn >= options.ttl * (1 - options.driftFactor) * minLeft && stands(lock)) {
        standing.add(lock)
      }
    }
  }
  return {
    begin: (lock) => {
      held.add(lock)
      if (stands(lock)) standing.add(lock)
    },
    end: (lock) => {
      if (!held.delete(lock)) return
      recorder.covered(standing.delete(lock) ? 'kept alive' : 'kept alive by a sick quorum')
    },
    lost: (lock) => {
      if (!held.delete(lock)) return
      if (!standing.delete(lock)) return recorder.covered('lost lock of a sick quorum')
      const text = `${lock.value.slice(0, 8)} at ${loop.now().toFixed(1)}`
      recorder.violated('lost', `${text}, although a quorum that has it answered`)
    },
    mayStrike: (server) => {
      update()
      return [...standing].every((lock) => stands(lock, server))
    },
  }
}
