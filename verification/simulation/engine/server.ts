import type { Script } from '../../../src/protocol/script.ts'
import { waitScript } from '../../../src/redis/scripts/wait-script.ts'
import type { MemoryEntry, MemoryServer } from '../../../src/memory/memory-server.ts'
import {
  type Operation,
  runScript as runOther,
  type ScriptCall,
  writeReply,
} from '../../../tools/redis-wire.ts'
import type { Recorder } from '../checks/recorder.ts'
import type { EventLoop } from './event-loop.ts'
import { type Channels, makeChannels } from './channels.ts'
import { epoch } from './process.ts'
import { execute, findScript } from './scripts.ts'
import { slotOf } from './slot-of.ts'

export type Reply = { readonly status: number; readonly body: string }

/** A simulated Redis server behind REST: its keys, its clock, and its possible faults. */
export type Server = {
  readonly name: string
  readonly entries: Map<string, MemoryEntry>
  readonly channels: Channels
  readonly wall: () => number
  /** Executes a request. */
  readonly handle: (request: ServerRequest) => Reply
  /** Caches a script as if the server had executed it before. */
  readonly load: (script: Script) => void
  /** Steps its clock by this many ms. */
  readonly jumpClock: (time: number) => void
  /** Restarts without data. */
  readonly restart: () => void
  /** Restarts without its last writes. */
  readonly rollBack: (writes: number) => void
  /** Fails over to a replica that lacks the last writes, and back. The run ID stays the same. */
  readonly failBack: (writes: number) => void
  readonly flushScripts: () => void
}
/** The clock of a server: its speed, and its offset in ms. */
export type ServerClock = {
  readonly rate: number
  readonly skew: number
  /** Whether the server forbids TIME in scripts. */
  readonly rejectsTime?: boolean
}

export type ServerRequest = {
  readonly method: string
  readonly authorization: string
  /** The command, which is a JSON array in the body. */
  readonly words: readonly string[]
}

type Snapshot = [key: string, entry: MemoryEntry][]

// A rollback reverts at most this many writes.
const maxSnapshots = 6

const errorReply = (status: number, error: string): Reply => ({
  status,
  body: JSON.stringify({ error }),
})

/**
 * Starts a server. It runs the script emulator instead of the Lua script; a test compares the two on a real Redis
 * server. Snapshots are kept only if `keepsSnapshots` is true.
 */
export const startServer = (
  loop: EventLoop,
  name: string,
  token: string,
  clock: ServerClock,
  recorder: Recorder,
  keepsSnapshots: boolean,
): Server => {
  const { now, trace } = loop
  const bearer = `Bearer ${token}`
  const entries = new Map<string, MemoryEntry>()
  const scripts = new Set<Script>()
  const channels = makeChannels()
  // The entries before each of the last writes.
  let snapshots: Snapshot[] = []
  let runs = 1
  let promotions = 0
  let jumped = 0
  const wall = (): number => Math.floor(epoch + clock.skew + jumped + clock.rate * now())
  const redis: MemoryServer = {
    entries,
    now: wall,
    run: () => `run_id:${runs}`,
    history: () => ({ id: `master_replid:${promotions}`, isPromoted: promotions > 0 }),
    rejects: clock.rejectsTime ? ['TIME'] : [],
    publish: channels.publish,
  }
  const load = (saved: Snapshot): void => {
    entries.clear()
    for (const [key, entry] of saved) entries.set(key, entry)
    snapshots = []
  }
  const restartWith = (saved: Snapshot): void => {
    load(saved)
    scripts.clear()
    runs++
  }
  const runScript = (given: ScriptCall): Reply => {
    if (keepsSnapshots) snapshots.push([...entries])
    if (snapshots.length > maxSnapshots) snapshots.shift()
    const [call, reply] = execute(redis, given)
    // A record contains the value of its claim, and rejects a late acquire with that value. For a lock, this is a bug.
    const isRejectedByRecord = reply.status === 'locked' && call.keys[0]!.startsWith('lock:r:')
    if (!isRejectedByRecord) {
      const [lockCall, lockReply] = slotOf(call, reply)
      recorder.executed(name, entries, wall, lockCall, lockReply)
    }
    trace.say(() => {
      const { status, left, holder, counter, identity } = reply
      const fields = [status, left, holder, counter, ...(identity === undefined ? [] : [identity])]
      return `  ${name} ${fields.join(' ')}`
    })
    return { status: 200, body: JSON.stringify({ result: writeReply(reply) }) }
  }
  return {
    name,
    entries,
    channels,
    wall,
    handle: ({ method, authorization, words }) => {
      if (method !== 'POST' || authorization !== bearer) return errorReply(401, 'Unauthorized')
      const [command, script, count] = words
      if (command !== 'EVAL' && command !== 'EVALSHA') return errorReply(400, `ERR unknown command`)
      const known = findScript(command, script!)
      if (!known) return errorReply(400, 'ERR another script')
      if (command === 'EVAL') scripts.add(known)
      else if (!scripts.has(known)) return errorReply(400, 'NOSCRIPT No matching script.')
      const firstArgument = 3 + Number(count)
      const [keys, args] = [words.slice(3, firstArgument), words.slice(firstArgument)]
      if (known === waitScript) {
        const result = runOther(redis, known, keys, args) as readonly unknown[]
        trace.say(() => `  ${name} ${result.join(' ')}`)
        return { status: 200, body: JSON.stringify({ result }) }
      }
      const [operation, owner, ttl, fenceTtl, minCounter, ...more] = args
      return runScript({
        script: known,
        keys,
        args: [operation as Operation, owner!, ttl!, fenceTtl!, minCounter!, ...more],
      })
    },
    load: (script) => void scripts.add(script),
    jumpClock: (time) => {
      trace.say(() => `the clock of ${name} jumps by ${time.toFixed(0)} ms`)
      jumped += time
    },
    restart: () => {
      trace.say(() => `${name} restarts, empty`)
      restartWith([])
    },
    rollBack: (writes) => {
      const saved = snapshots[snapshots.length - writes]
      if (!saved) return
      trace.say(() => `${name} restarts without its last ${writes} writes`)
      restartWith(saved)
    },
    failBack: (writes) => {
      const saved = snapshots[snapshots.length - writes]
      if (!saved) return
      trace.say(() => `${name} fails over and back without its last ${writes} writes`)
      load(saved)
      promotions++
    },
    flushScripts: () => scripts.clear(),
  }
}
