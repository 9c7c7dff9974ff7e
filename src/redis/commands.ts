import type { RestartGuard } from '../protocol/node.ts'
import { RedlockError } from '../util/redlock-error.ts'
import { readCheckReply } from '../protocol/check-reply.ts'
import { checkScript } from './scripts/check-script.ts'
import type {
  Accept,
  AcquireSlot,
  CheckServer,
  Command,
  Forget,
  KeyCommand,
  Prepare,
  Queue,
  Release,
} from '../protocol/command.ts'
import { forceReleaseScript } from './scripts/force-release-script.ts'
import { lockScript } from './scripts/lock-script.ts'
import { recordScript } from './scripts/record-script.ts'
import { doneStatus, foreign, type Reply, splitHolder } from '../protocol/reply.ts'
import type { Script } from '../protocol/script.ts'
import { slotScript } from './scripts/slot-script.ts'
import { waitScript } from './scripts/wait-script.ts'
import { wakingReleaseScript } from './scripts/waking-release-script.ts'

// On Redis, commands run as Lua scripts. Only this file depends on the positions of keys, arguments and reply fields,
// which the headers of the scripts describe.

/** One call of a script, as the server receives it. */
export type ScriptCall = {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly string[]
  /** The first field of the reply, which identifies this call. */
  readonly echo: string
}

/** The options that a node receives with a command. */
export type EncodeOptions = {
  /** An ID for a server that does not have one yet. Without this option, the reply does not contain the server's ID. */
  readonly serverId?: string | undefined
  readonly guard?: Omit<RestartGuard, 'reasonOf'> | undefined
}

/** The encoding of certain commands for Redis. */
export type Lua<Some extends Command = Command> = {
  readonly encodeCommand: (command: Some, options: EncodeOptions) => ScriptCall
  /** @throws if the reply does not belong to the call with this `echo`. */
  readonly decode: (command: Some, echo: string, reply: unknown) => Reply
}

// From the global symbol registry, because another copy of the package may have created the node.
const luaKey: unique symbol = Symbol.for('edge-redlock:lua')

type WithLua = { readonly [luaKey]?: Lua }

/**
 * Adds the encoding for Redis to a command. Each part of the package adds its own encoding, so a bundle contains only
 * the scripts that it needs. The key is a symbol, which a spread copies and nodes without Redis ignore.
 */
export const withLua = <Some extends Command>(lua: Lua<Some>, command: Some): Some => ({
  ...command,
  [luaKey]: lua,
})

/** The encoding of this command for Redis. */
export const luaOf = (command: Command): Lua => (command as WithLua)[luaKey] ?? (lockLua as Lua)

/** The letters that stand for operations in the scripts, as explained in their headers. */
const letters = {
  acquire: 'a',
  extend: 'e',
  inspect: 'i',
  release: 'r',
  'acquire-slot': 'a',
  prepare: 'a',
  accept: 'c',
  forget: 'r',
} satisfies Record<KeyCommand['op'], string>

/** The TTL of the keys that the script writes, in ms, and the counter that it compares. */
const numbersOf = (command: KeyCommand): readonly [life: number, counter: number] => {
  switch (command.op) {
    case 'inspect':
      return [0, 0]
    case 'release':
    case 'forget':
      return [command.tombstoneTtl, 0]
    case 'accept':
      return [command.ttl, command.token]
    default:
      return [command.ttl, command.minCounter]
  }
}

/** @param argument - An additional argument of this script, placed before the server ID. */
const encode = (
  script: Script,
  command: KeyCommand,
  { serverId, guard }: EncodeOptions,
  argument?: string,
): ScriptCall => {
  const { op, keys, fences, owner, fenceTtl } = command
  const hasFences = fences.length > 0
  const names: string[] = []
  for (let at = 0; at < keys.length; at++) {
    names.push(keys[at]!)
    if (hasFences) names.push(fences[at]!)
  }
  names.push(command.tombstone)
  const [life, counter] = numbersOf(command)
  const args = [letters[op], owner, `${life}`, hasFences ? `${fenceTtl}` : '0', `${counter}`]
  if (argument !== undefined) args.push(argument)
  if (serverId !== undefined) {
    names.push(command.identity)
    args.push(serverId)
  }
  const guarded = guard?.scriptOf(script)
  if (guarded) {
    names.push(guard!.key)
    args.push(`${guard!.time}`, guard!.withoutRunId ? '1' : '')
  }
  return { script: guarded ?? script, keys: names, args, echo: letters[op] + owner }
}

/** The reply, as the script returns it. */
type Tuple = readonly [
  echo: string,
  status: 'granted' | 'locked' | 'absent' | 'quarantined' | 'unfit',
  left: number,
  by: string,
  counter: number,
  server?: unknown,
]

const noReply = (): Error => new RedlockError('not a Redis reply')

/** Checks that the reply belongs to this call and that its numbers are valid. */
const fieldsOf = (echo: string, reply: unknown): Tuple => {
  if (Array.isArray(reply) && reply[0] === echo) {
    const tuple = reply as unknown as Tuple
    if (Number.isSafeInteger(tuple[2]) && Number.isSafeInteger(tuple[4])) return tuple
  }
  throw noReply()
}

/**
 * Whether the value has the shape of a reply, but its strings are corrupted, as when a client decodes strings that were
 * never encoded.
 */
export const isGarbled = (reply: unknown): boolean => {
  if (!Array.isArray(reply)) return false
  const { 1: status, 2: left, 4: counter } = reply as unknown[]
  const isStatus = /^(granted|locked|absent|quarantined|unfit)$/.test(String(status))
  return Number.isInteger(left) && Number.isInteger(counter) && !isStatus
}

/**
 * The ID of the server. Earlier versions created IDs that could consist of digits only, which some clients return as
 * numbers.
 */
const idOfServer = (field: unknown): string | undefined => {
  if (typeof field === 'string') return field || undefined
  return typeof field === 'number' ? `${field}` : undefined
}

/** Splits the public text of an owner into the holder and the metadata, and removes the `h` before the holder. */
const ownerOf = (by: unknown): ReturnType<typeof splitHolder> => {
  if (typeof by !== 'string') throw noReply()
  const { holder, metadata } = splitHolder(by)
  return { holder: holder.slice(1), metadata }
}

const decode = ({ op }: KeyCommand, echo: string, reply: unknown): Reply => {
  // Destructuring by index is faster than iterating.
  const { 1: status, 2: left, 3: by, 4: counter, 5: id } = fieldsOf(echo, reply)
  const server = idOfServer(id)
  const ttl = left < 0 ? undefined : left
  if (status === 'quarantined') return { status: 'abstains', because: 'restarted', ttl, server }
  if (status === 'unfit') return { status: 'abstains', because: by as 'TIME', server }
  if (status === 'locked') {
    const { holder, metadata } = ownerOf(by)
    return holder === foreign || left < 0
      ? { status: foreign, ttl, counter, server }
      : { status, ttl, counter, server, holder, metadata }
  }
  // A grant never names a holder.
  if (by !== '') throw noReply()
  if (status === 'granted') return { status: doneStatus[op], ttl, counter, server }
  return { status, ttl, counter, server, wasForced: left === -2 || undefined }
}

/**
 * Decodes the reply to a command on slots, which contains the holders of all slots and the number of the granted slot.
 */
const decodeSlots = (command: AcquireSlot, echo: string, reply: unknown): Reply => {
  const { 1: status, 2: left, 3: by, 4: counter, 5: id } = fieldsOf(echo, reply)
  if (status !== 'granted' && status !== 'locked') return decode(command, echo, reply)
  const server = idOfServer(id)
  const { holder: first, metadata = '' } = ownerOf(by)
  const holders = metadata.split(' ').map((name) => (name === '-' ? null : name))
  const told = { counter, holders, server }
  if (status === 'granted') return { status, slot: left, ...told }
  const ttl = left < 0 ? undefined : left
  if (ttl === undefined || first === foreign) return { status: foreign, ttl, ...told }
  return { status, holder: first === '-' ? undefined : first, ttl, ...told }
}

/** Encodes `acquire`, `extend`, `inspect` and `release`. */
export const lockLua: Lua<KeyCommand> = {
  encodeCommand: (command, options) => {
    const { op } = command
    const isOfLocks = op === 'acquire' || op === 'extend' || op === 'inspect' || op === 'release'
    // The command needs another script, but a wrapper has copied it without its symbol. The lock script would run the
    // wrong operation.
    if (!isOfLocks) throw new TypeError(`${op}: a node must pass on the command itself`)
    return encode(lockScript, command, options)
  },
  decode,
}

export const slotLua: Lua<AcquireSlot> = {
  encodeCommand: (command, options) =>
    encode(slotScript, command, options, `${command.isOnly ? 'only' : 'any'} ${command.slot}`),
  decode: decodeSlots,
}

export const recordLua: Lua<Prepare | Accept> = {
  encodeCommand: (command, options) =>
    encode(recordScript, command, options, command.op === 'accept' ? command.record : ''),
  decode,
}

export const forgetLua: Lua<Forget> = {
  encodeCommand: (command, options) => encode(forceReleaseScript, command, options, command.holder),
  decode,
}

/** A release that wakes a waiter. */
export const wakingReleaseLua: Lua<Release> = {
  encodeCommand: (command, options) => {
    const call = encode(wakingReleaseScript, command, options)
    return { ...call, keys: [command.wakes!, ...call.keys] }
  },
  decode,
}

export const queueLua: Lua<Queue> = {
  encodeCommand: ({ op, queue, key, waiter, since, life }) => {
    const letter = op === 'join' ? 'w' : 'l'
    const args = [letter, waiter, `${since}`, `${life}`]
    return { script: waitScript, keys: [queue, key], args, echo: letter + waiter }
  },
  decode: (_command, echo, reply) => {
    if (!Array.isArray(reply) || reply[0] !== echo) throw noReply()
    return { status: 'queued', isFree: reply[1] === 1 }
  },
}

export const checkLua: Lua<CheckServer> = {
  encodeCommand: ({ id, identity }, { serverId }) => ({
    script: checkScript,
    keys: [identity],
    args: ['i', id, '0', '0', '0', serverId!],
    echo: `i${id}`,
  }),
  decode: (_command, echo, reply) => ({ status: 'checked', facts: readCheckReply(echo, reply) }),
}
