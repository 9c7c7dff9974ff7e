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

/** `isSick` tells which servers are sick at the moment. */
export const makeHoldGuard = (
  { loop, servers, quorum, recorder }: Scenario,
  isSick: (server: Server) => boolean,
): HoldGuard => {
  /** The locks that are held, and those of them that stood on a well quorum once. */
  const held = new Set<Lock>()
  const standing = new Set<Lock>()
  const has = ({ entries, wall }: Server, { keys, value }: Lock): boolean =>
    keys.every((key) => {
      const entry = entries.get(`lock:l:${key}`)
      return entry !== undefined && entry.value.startsWith(value) && wall() <= entry.expiresAt
    })
  const stands = (lock: Lock, without?: Server): boolean =>
    servers.filter((server) => server !== without && !isSick(server) && has(server, lock)).length >=
    quorum
  const update = (): void => {
    for (const lock of held) if (stands(lock)) standing.add(lock)
  }
  return {
    begin: (lock) => {
      held.add(lock)
      update()
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
