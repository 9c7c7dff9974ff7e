import { randomBytes } from 'node:crypto'
import { checkScript } from '../../src/protocol/check-script.ts'
import { forceReleaseScript } from '../../src/protocol/force-release-script.ts'
import { lockScript } from '../../src/protocol/lock-script.ts'
import { recordScript } from '../../src/protocol/record-script.ts'
import { writeReply } from '../../src/protocol/reply.ts'
import type { Script, ScriptCall } from '../../src/protocol/script.ts'
import { slotScript } from '../../src/protocol/slot-script.ts'
import { wakingReleaseScript } from '../../src/protocol/waking-release-script.ts'
import { emulateCheck } from '../../src/emulator/check-emulator.ts'
import { emulateForceRelease } from '../../src/emulator/force-release-emulator.ts'
import type { MemoryServer } from '../../src/emulator/memory-server.ts'
import { checkQuarantine } from '../../src/emulator/quarantine-emulator.ts'
import { emulateRecord } from '../../src/emulator/record-emulator.ts'
import { emulateScript } from '../../src/emulator/script-emulator.ts'
import { emulateSlot } from '../../src/emulator/slot-emulator.ts'
import { volatileScript } from '../../src/quarantine/volatile-script.ts'

/** Where ioredis-mock keeps the values of its keys, and the times in ms at which they expire. */
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

type Emulate = (server: MemoryServer, call: ScriptCall) => unknown

/** The emulators of scripts by what names them: source or hash. */
const emulators = new Map<string | undefined, Emulate>()
const add = (emulate: Emulate, ...scripts: readonly Script[]): void => {
  for (const script of scripts) {
    emulators.set(script.sha, emulate).set(script.source, emulate)
    const own = volatileScript(script)
    if (!own) continue
    const withQuarantine: Emulate = (server, given) => {
      const { call, abstention } = checkQuarantine(server, given)
      return abstention ? writeReply(abstention) : emulate(server, { ...call, script })
    }
    emulators.set(own.sha, withQuarantine).set(own.source, withQuarantine)
  }
}
add(emulateCheck, checkScript)
add((...call) => writeReply(emulateScript(...call)), lockScript)
add((...call) => writeReply(emulateRecord(...call)), recordScript)
add((...call) => writeReply(emulateSlot(...call)), slotScript)
add((...call) => writeReply(emulateForceRelease(...call)), forceReleaseScript)
// It wakes nobody: waiters poll.
add(
  (server, call) => writeReply(emulateScript(server, { ...call, keys: call.keys.slice(1) })),
  wakingReleaseScript,
)

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
 * Runs EVAL and EVALSHA of the package's own scripts by their emulators, on the keys of an ioredis-mock:
 * its interpreter compiles a script for every call, which takes longer than all else that a lock costs.
 * Returns undefined for any other command.
 */
export const embeddedScripts = (
  mock: MockKeys,
): ((name: string, args: readonly string[]) => unknown) => {
  const server = serverOf(mock)
  return (name, [id, count, ...rest]) => {
    const command = name.toUpperCase()
    if (command !== 'EVAL' && command !== 'EVALSHA') return undefined
    const keys = rest.slice(0, Number(count))
    const args = rest.slice(Number(count)) as unknown as ScriptCall['args']
    return emulators.get(id)?.(server, { script: lockScript, keys, args })
  }
}
