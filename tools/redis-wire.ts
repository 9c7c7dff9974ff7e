import { runGuarded } from '../src/memory/restart-guard.ts'
import { runCommand } from '../src/memory/run-command.ts'
import type { MemoryServer } from '../src/memory/memory-server.ts'
import { checkScript } from '../src/redis/scripts/check-script.ts'
import type { Command, CommandGuard, KeyCommand } from '../src/protocol/command.ts'
import { forceReleaseScript } from '../src/redis/scripts/force-release-script.ts'
import { lockScript } from '../src/redis/scripts/lock-script.ts'
import { recordScript } from '../src/redis/scripts/record-script.ts'
import { idOf, type Reply } from '../src/protocol/reply.ts'
import type { Script } from '../src/protocol/script.ts'
import { slotScript } from '../src/redis/scripts/slot-script.ts'
import { waitScript } from '../src/redis/scripts/wait-script.ts'
import { wakingReleaseScript } from '../src/redis/scripts/waking-release-script.ts'
import { volatileScript } from '../src/redis/quarantine/volatile-script.ts'

// The counterpart of src/redis/commands.ts, for servers that replace Redis in tests and tools. They receive scripts,
// keys and arguments, and run them as commands.

/** The operations acquire, complete, extend, inspect and release. */
export type Operation = 'a' | 'c' | 'e' | 'i' | 'r'

/** One execution of a script on one server. */
export type ScriptCall = {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly [
    operation: Operation,
    owner: string,
    ttl: string,
    fenceTtl: string,
    minCounter: string,
    ...argumentAndIdentity: string[],
  ]
}

/** The reply on the wire. */
export type ReplyTuple = readonly [
  echo: string,
  status: 'granted' | 'locked' | 'absent' | 'quarantined' | 'unfit',
  left: number,
  holder: string,
  counter: number,
  identity?: string,
]

/** The same reply with named fields. */
export type WireReply = {
  readonly echo: string
  readonly status: ReplyTuple[1]
  readonly left: number
  readonly holder: string
  readonly counter: number
  readonly identity?: string | undefined
}

/** The first element of the reply to a call. */
export const echoOf = ([operation, owner]: readonly string[]): string => operation! + owner!

export const writeReply = (reply: WireReply): ReplyTuple => {
  const { echo, status, left, holder, counter, identity } = reply
  return identity === undefined
    ? [echo, status, left, holder, counter]
    : [echo, status, left, holder, counter, identity]
}

export const parseReply = ([
  echo,
  status,
  left,
  holder,
  counter,
  identity,
]: ReplyTuple): WireReply => ({ echo, status, left, holder, counter, identity })

/** The name of the holder of this value in replies to other clients. */
export const holderOf = (value: string): string => `h${idOf(value)}`

const plainScripts = [
  lockScript,
  forceReleaseScript,
  recordScript,
  slotScript,
  wakingReleaseScript,
  checkScript,
  waitScript,
]
/** Maps the scripts of volatile nodes to the original scripts. */
const volatileScripts = new Map(
  plainScripts.flatMap((script) => {
    const own = volatileScript(script)
    return own ? [[own, script] as const] : []
  }),
)

/** All scripts that a server can receive. */
const scripts: readonly Script[] = [...plainScripts, ...volatileScripts.keys()]

/** Finds a script by its source or by its hash. */
export const findScript = (text: string): Script | undefined =>
  scripts.find(({ sha, source }) => sha === text || source === text)

/** Splits a call into the part before the restart guard, and the guard itself. */
const withoutGuard = (given: ScriptCall): readonly [ScriptCall, CommandGuard | undefined] => {
  const script = volatileScripts.get(given.script)
  if (!script) return [given, undefined]
  const keys = given.keys.slice(0, -1)
  const args = given.args.slice(0, -2) as unknown as ScriptCall['args']
  const [time, withoutRunId] = given.args.slice(-2)
  const guard = { key: given.keys.at(-1)!, time: Number(time), withoutRunId: withoutRunId !== '' }
  return [{ script, keys, args }, guard]
}

/** The command of a call, with its arguments. */
const commandOf = ({
  script,
  keys: names,
  args,
}: ScriptCall): readonly [Command, serverId?: string | undefined] => {
  const [letter, owner, ttl, fenceTtl, minCounter, ...rest] = args
  const keys = [...names]
  if (script === waitScript) {
    const [op, waiter, since, life] = args as readonly string[]
    return [
      {
        op: op === 'w' ? 'join' : 'leave',
        queue: keys[0]!,
        key: keys[1]!,
        waiter: waiter!,
        since: Number(since),
        life: Number(life),
      },
    ]
  }
  if (script === checkScript) {
    return [{ op: 'check', identity: keys[0]!, id: owner }, rest[0]]
  }
  const wakes = script === wakingReleaseScript ? keys.shift() : undefined
  const hasArgument = [slotScript, recordScript, forceReleaseScript].includes(script)
  const argument = hasArgument ? rest.shift()! : ''
  const [serverId] = rest
  const identity = serverId === undefined ? '' : keys.pop()!
  const tombstone = keys.pop()!
  const stride = Number(fenceTtl) > 0 ? 2 : 1
  const about = {
    keys: keys.filter((_, index) => index % stride === 0),
    fences: stride === 2 ? keys.filter((_, index) => index % 2 === 1) : [],
    tombstone,
    identity,
    owner,
    value: owner.split(' ', 1)[0]!,
    fenceTtl: Number(fenceTtl),
  }
  const terms = { ttl: Number(ttl), minCounter: Number(minCounter) }
  const tombstoneTtl = terms.ttl
  const ops = { a: 'acquire', e: 'extend', i: 'inspect', r: 'release' } as const
  const make = (): KeyCommand => {
    if (script === slotScript) {
      const [mode, slot] = argument.split(' ')
      return { op: 'acquire-slot', ...about, ...terms, slot: Number(slot), isOnly: mode === 'only' }
    }
    if (script === forceReleaseScript)
      return { op: 'forget', ...about, holder: argument, tombstoneTtl }
    if (script === recordScript && letter === 'a') return { op: 'prepare', ...about, ...terms }
    if (letter === 'c') {
      const { ttl: life, minCounter: token } = terms
      return { op: 'accept', ...about, ttl: life, token, record: argument }
    }
    const op = ops[letter]
    if (op === 'release') return { op, ...about, tombstoneTtl, wakes }
    return op === 'inspect' ? { op, ...about } : { op, ...about, ...terms }
  }
  return [make(), serverId]
}

/** Formats the holders of slots as slot.lua does. */
const namesOf = (holders: readonly (string | null)[]): string =>
  holders.map((one) => one ?? '-').join(' ')

/** Converts a reply to that of a script. */
const wireReplyOf = ({ args }: ScriptCall, reply: Reply): WireReply => {
  const told = { echo: echoOf(args), left: -1, holder: '', counter: 0, identity: reply.server }
  switch (reply.status) {
    case 'granted': {
      const { status, counter, ttl = -1, slot = ttl, holders } = reply
      return {
        ...told,
        status,
        counter,
        left: slot,
        holder: holders ? `h- ${namesOf(holders)}` : '',
      }
    }
    case 'held':
    case 'released':
    case 'accepted':
    case 'forgotten': {
      const { counter, ttl = -1 } = reply
      return { ...told, status: 'granted', counter, left: ttl }
    }
    case 'locked': {
      const { status, counter, ttl = -1, holder = '-', holders, metadata } = reply
      const more = holders ? namesOf(holders) : metadata
      const text = `h${holder}${more === undefined ? '' : ` ${more}`}`
      return { ...told, status, counter, left: ttl, holder: text }
    }
    case 'foreign': {
      const { counter, ttl = -1, holders } = reply
      const holder = holders && ttl < 0 ? '-' : 'foreign'
      const text = `h${holder}${holders ? ` ${namesOf(holders)}` : ''}`
      return { ...told, status: 'locked', counter, left: ttl, holder: text }
    }
    case 'absent': {
      const { status, counter, ttl = -1, wasForced } = reply
      return { ...told, status, counter, left: wasForced ? -2 : ttl }
    }
    case 'abstains': {
      const { because, ttl = -1 } = reply
      return because === 'restarted'
        ? { ...told, status: 'quarantined', left: ttl }
        : { ...told, status: 'unfit', holder: because }
    }
    default:
      throw new Error(`no reply of a lock: ${reply.status}`)
  }
}

/** Runs a script that has keys. @returns the call without its restart guard, and the reply. */
export const runOnWire = (
  server: MemoryServer,
  given: ScriptCall,
): readonly [ScriptCall, WireReply] => {
  const [call, guard] = withoutGuard(given)
  const [command, serverId] = commandOf(call)
  const reply = runGuarded(server, command, serverId, guard)
  return [call, wireReplyOf(call, reply)]
}

/** Runs any script, as EVAL and EVALSHA do. @returns its reply. */
export const runScript = (
  server: MemoryServer,
  script: Script,
  keys: readonly string[],
  args: readonly string[],
): unknown => {
  const call = { script, keys, args: args as ScriptCall['args'] }
  if (script !== waitScript && script !== checkScript) return writeReply(runOnWire(server, call)[1])
  const [command, serverId] = commandOf(call)
  const reply = runCommand(server, command, serverId)
  if (reply.status === 'queued') return [echoOf(args), reply.isFree ? 1 : 0]
  if (reply.status !== 'checked') throw new Error(`no reply to a check: ${reply.status}`)
  const { identity, time, info, rejected } = reply.facts
  const text = Object.entries(info).map(([field, value]) => `${field}:${value}\r\n`)
  return [echoOf(args), identity, time, text.join(''), rejected.write, rejected.time, rejected.info]
}
