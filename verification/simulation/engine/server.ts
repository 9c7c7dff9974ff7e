import { lockScript } from '../../../src/protocol/lock-script.ts'
import { writeReply } from '../../../src/protocol/reply.ts'
import type { Operation, ScriptCall } from '../../../src/protocol/script.ts'
import type { MemoryEntry } from '../../../src/testing/memory-server.ts'
import { emulateScript } from '../../../src/testing/script-emulator.ts'
import type { Recorder } from '../checks/recorder.ts'
import type { World } from './event-loop.ts'
import { epoch } from './process.ts'

/** What a server sends back. */
export type Reply = { readonly status: number; readonly body: string }

/** A Redis behind REST: its keys, its clock, and what can happen to it. */
export type Server = {
  readonly name: string
  readonly entries: Map<string, MemoryEntry>
  readonly wall: () => number
  /** Does what a request says, as it came over the wire. */
  readonly handle: (request: Request) => Reply
  readonly jump: (time: number) => void
  readonly restart: () => void
  readonly rollBack: (writes: number) => void
  readonly flushScripts: () => void
}
export type Request = {
  readonly method: string
  readonly authorization: string
  /** The body, a JSON array. */
  readonly words: readonly string[]
}

const failed = (status: number, error: string): Reply => ({
  status,
  body: JSON.stringify({ error }),
})

/**
 * Runs the emulator of the script. A test compares its replies and keys with those of the script on a
 * real Redis.
 */
export const startServer = (
  world: World,
  name: string,
  token: string,
  clock: { readonly rate: number; readonly skew: number },
  recorder: Recorder,
  keepsHistory: boolean,
): Server => {
  const { now, trace } = world
  const entries = new Map<string, MemoryEntry>()
  const scripts = new Set<string>()
  // What there was before each of the last writes.
  let earlier: [string, MemoryEntry][][] = []
  let runs = 1
  let jumped = 0
  const wall = (): number => Math.floor(epoch + clock.skew + jumped + clock.rate * now())
  const redis = { entries, now: wall, run: () => `run_id:${runs}` }
  const come = (saved: [string, MemoryEntry][]): void => {
    entries.clear()
    for (const [key, entry] of saved) entries.set(key, entry)
    earlier = []
    scripts.clear()
    runs++
  }
  const run = (call: ScriptCall): Reply => {
    if (keepsHistory) earlier.push([...entries])
    if (earlier.length > 6) earlier.shift()
    const reply = emulateScript(redis, call)
    recorder.executed(name, entries, wall, call, reply)
    trace.say(() => {
      const { status, left, holder, counter, identity } = reply
      const told = [status, left, holder, counter]
      return `  ${name} ${(identity === undefined ? told : [...told, identity]).join(' ')}`
    })
    return { status: 200, body: JSON.stringify({ result: writeReply(reply) }) }
  }
  return {
    name,
    entries,
    wall,
    handle: ({ method, authorization, words: [command, script, count, ...words] }) => {
      if (method !== 'POST' || authorization !== `Bearer ${token}`)
        return failed(401, 'Unauthorized')
      if (command === 'EVAL') scripts.add(script!)
      else if (command !== 'EVALSHA') return failed(400, `ERR unknown command`)
      if (command === 'EVAL' ? script !== lockScript.source : script !== lockScript.sha) {
        return failed(400, 'ERR another script')
      }
      if (!scripts.has(lockScript.source)) return failed(400, 'NOSCRIPT No matching script.')
      const [operation, owner, ttl, stride, minCounter, ...more] = words.slice(Number(count))
      return run({
        script: lockScript,
        keys: words.slice(0, Number(count)),
        args: [operation as Operation, owner!, ttl!, stride!, minCounter!, ...more],
      })
    },
    jump: (time) => {
      trace.say(() => `the clock of ${name} jumps by ${time.toFixed(0)} ms`)
      jumped += time
    },
    restart: () => {
      trace.say(() => `${name} restarts, empty`)
      come([])
    },
    rollBack: (writes) => {
      const saved = earlier[earlier.length - writes]
      if (!saved) return
      trace.say(() => `${name} restarts without its last ${writes} writes`)
      come(saved)
    },
    flushScripts: () => scripts.clear(),
  }
}
