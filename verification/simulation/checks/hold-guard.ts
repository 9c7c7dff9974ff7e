import type { Lock } from '../../../src/index.ts'
import type { Server } from '../engine/server.ts'
import type { Scenario } from '../workload/scenario.ts'

/** Checks that no lock is lost while a quorum of healthy servers holds it. */
export type HoldGuard = {
  readonly begin: (lock: Lock) => void
  readonly end: (lock: Lock) => void
  readonly lost: (lock: Lock) => void
  /** Whether every lock that is on a healthy quorum stays on one if this server becomes faulty. */
  readonly mayStrike: (server: Server) => boolean
}

// A lock counts only if this share of its validity is left, because an extension is due when half is left.
const minLeft = 0.5

/** @param isSick - Returns whether a server is faulty at the moment. */
export const makeHoldGuard = (
  { loop, servers, quorum, recorder, options }: Scenario,
  isSick: (server: Server) => boolean,
): HoldGuard => {
  /** All held locks, and those that have been on a healthy quorum. */
  const held = new Set<Lock>()
  const standing = new Set<Lock>()
  /** Whether a server holds the lock for its whole validity, because the server took part in the last extension. */
  const has = ({ entries, wall }: Server, { keys, value, expiresIn }: Lock): boolean =>
    keys.every((key) => {
      const entry = entries.get(`lock:l:${key}`)
      return entry?.value.startsWith(value) === true && wall() + expiresIn <= entry.expiresAt
    })
  const stands = (lock: Lock, without?: Server): boolean =>
    servers.filter((server) => server !== without && !isSick(server) && has(server, lock)).length >=
    quorum
  // A lock that is not on a healthy quorum at first is watched once it has been extended on one.
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
