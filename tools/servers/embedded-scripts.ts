import { randomBytes } from 'node:crypto'
import type { MemoryServer } from '../../src/memory/memory-server.ts'
import { findScript, runScript } from '../redis-wire.ts'

/** The part of ioredis-mock that stores the values of keys, and when keys expire, in ms. */
export type MockKeys = {
  readonly data: {
    readonly get: (key: string) => unknown
    readonly set: (key: string, value: string) => void
    readonly delete: (key: string) => void
  }
  readonly expires: {
    readonly has: (key: string) => boolean
    readonly get: (key: string) => number
    readonly set: (key: string, time: number) => void
    readonly delete: (key: string) => void
  }
}

const textOf = (value: unknown): string =>
  Buffer.isBuffer(value) ? value.toString() : String(value)

const serverOf = ({ data, expires }: MockKeys): MemoryServer => {
  const runId = `run_id:${randomBytes(20).toString('hex')}`
  return {
    now: Date.now,
    run: () => runId,
    entries: {
      get: (key) => {
        const value = data.get(key)
        if (value === undefined) return undefined
        return { value: textOf(value), expiresAt: expires.has(key) ? expires.get(key) : Infinity }
      },
      set: (key, { value, expiresAt }) => {
        data.set(key, value)
        if (expiresAt === Infinity) expires.delete(key)
        else expires.set(key, expiresAt)
      },
      delete: (key) => data.delete(key),
    },
  }
}

/**
 * Runs EVAL and EVALSHA of the package's own scripts with their emulators, on the keys of an ioredis-mock. The mock
 * would compile a script on every call, which takes longer than everything else in a lock. Returns undefined for any
 * other command.
 */
export const embeddedScripts = (
  mock: MockKeys,
): ((name: string, args: readonly string[]) => unknown) => {
  const server = serverOf(mock)
  return (name, [id, count, ...rest]) => {
    const command = name.toUpperCase()
    if (command !== 'EVAL' && command !== 'EVALSHA') return undefined
    const script = findScript(id!)
    // No messages are published, so waiting calls poll.
    return (
      script && runScript(server, script, rest.slice(0, Number(count)), rest.slice(Number(count)))
    )
  }
}
