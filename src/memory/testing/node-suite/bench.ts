import type { LockNode } from '../../../protocol/node.ts'
import type { AboutKeys, Command, CommandGuard } from '../../../protocol/command.ts'
import {
  forgetLua,
  queueLua,
  recordLua,
  slotLua,
  wakingReleaseLua,
  withLua,
} from '../../../redis/commands.ts'
import type { Reply } from '../../../protocol/reply.ts'
import { systemClock } from '../../../util/clock.ts'
import { aboutOf, type TestSubject } from './commands.ts'
import type { Random } from './random.ts'

/** The options for sending a command. */
export type Sending = {
  /** The node to send the command to. Default: the node under test. */
  readonly node?: LockNode
  readonly guard?: CommandGuard
  readonly signal?: AbortSignal
}

/** The functions and data that one test uses. */
export type Bench = {
  readonly node: LockNode
  readonly random: Random
  /** The prefix of all keys of the test. */
  readonly prefix: string
  /** The key of the server's ID, which all tests share. */
  readonly identity: string
  /** An estimate of the time on the node's clock, in ms, which the clients in the tests also use. */
  readonly now: () => number
  /** The longest time that any reply has taken so far, in ms. */
  readonly slowest: () => number
  /** Returns the common fields of a command, for keys that only this test uses. */
  readonly about: (
    names: readonly string[],
    owner: string,
    more?: Pick<TestSubject, 'metadata' | 'isThrottle'>,
  ) => AboutKeys
  /**
   * Sends a command. @throws if the node rejects the command, does not answer, or returns a different server ID than
   * before.
   */
  readonly run: (command: Command, sending?: Sending) => Promise<Reply>
  /** Sends a command that the node is allowed to reject. @throws if the node does not answer. */
  readonly attempt: (command: Command, sending?: Sending) => Promise<Reply | Error>
  /** Fails the test. `seen`: the commands and replies that demonstrate the problem. */
  readonly fail: (problem: string, seen?: readonly unknown[]) => never
}

/** The data that all tests share. */
export type SuiteState = {
  readonly node: LockNode
  readonly random: Random
  readonly seed: number
  /** The prefix of all keys. */
  readonly prefix: string
  /** The time after which a command counts as hanging, in ms. */
  readonly timeout: number
  /**
   * The ID of the server, once it is known; the time of the slowest reply; and how far the node's clock is ahead of
   * ours. Both times are in ms.
   */
  readonly seen: { server?: string; slowest: number; ahead: number }
}

/** The command as a client sends it, with its encoding for Redis. Commands for the lock script need no encoding. */
const sent = (command: Command): Command => {
  const { op } = command
  if (op === 'acquire-slot') return withLua(slotLua, command)
  if (op === 'prepare' || op === 'accept') return withLua(recordLua, command)
  if (op === 'forget') return withLua(forgetLua, command)
  if (op === 'join' || op === 'leave') return withLua(queueLua, command)
  return op === 'release' && command.wakes !== undefined
    ? withLua(wakingReleaseLua, command)
    : command
}

// This key never expires, so all runs use the same one.
const identity = 'test:id'

const noReply = Symbol('no reply')

/** Waits up to `timeout` ms for a reply or an error, and returns it. */
const within = async (
  timeout: number,
  start: () => Promise<Reply>,
): Promise<Reply | Error | typeof noReply> => {
  let stopTimer: (() => void) | undefined
  const late = new Promise<typeof noReply>((resolve) => {
    stopTimer = systemClock.setTimer(() => resolve(noReply), timeout)
  })
  try {
    return await Promise.race([start(), late])
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    stopTimer?.()
  }
}

/** Checks that each reply contains the ID of the server, and that the ID never changes. */
const checkServer = (
  shared: SuiteState,
  command: Command,
  reply: Reply,
  fail: Bench['fail'],
): void => {
  const { seen } = shared
  if (typeof reply?.server !== 'string') fail('a reply does not name the server', [command, reply])
  seen.server ??= reply.server
  if (reply.server !== seen.server)
    fail(`the server was ${seen.server}, and is now a different one`, [command, reply])
}

/** Creates the bench for one test. */
export const benchOf = (shared: SuiteState, test: string): Bench => {
  const { node: tested, random, seed, timeout, seen } = shared
  const prefix = `${shared.prefix}${test}:`
  const fail: Bench['fail'] = (problem, commands = []) => {
    const lines = commands.map((one) => `\n${JSON.stringify(one)}`)
    throw new Error(`testNode, seed ${seed}, ${test}: ${problem}${lines.join('')}`)
  }

  const attempt: Bench['attempt'] = async (command, sending = {}) => {
    const { node = tested, guard, signal = new AbortController().signal } = sending
    const serverId = crypto.randomUUID()
    const begun = performance.now()
    const reply = await within(timeout, async () =>
      node.run(sent(command), { signal, serverId, guard }),
    )
    seen.slowest = Math.max(seen.slowest, performance.now() - begun)
    return reply === noReply ? fail(`a command had no reply in ${timeout} ms`, [command]) : reply
  }

  const run: Bench['run'] = async (command, sending) => {
    const reply = await attempt(command, sending)
    if (reply instanceof Error) return fail(`a command was rejected: ${reply.message}`, [command])
    checkServer(shared, command, reply, fail)
    return reply
  }

  return {
    node: tested,
    random,
    prefix,
    identity,
    now: () => Date.now() + seen.ahead,
    slowest: () => seen.slowest,
    about: (names, owner, more) => aboutOf({ prefix, identity, names, owner, ...more }),
    run,
    attempt,
    fail,
  }
}
