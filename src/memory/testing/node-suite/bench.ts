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
import { aboutOf, type TestSubject } from './commands.ts'
import type { Random } from './random.ts'

/** How a command is sent, where it matters. */
export type Sending = {
  /** Default: the node that is tested. */
  readonly node?: LockNode
  readonly guard?: CommandGuard
  readonly signal?: AbortSignal
}

/** What one test works with. */
export type Bench = {
  readonly node: LockNode
  readonly random: Random
  /** The prefix of all keys of the test. */
  readonly prefix: string
  /** The key of the server's id: one for all tests. */
  readonly identity: string
  /** The time by the clock of the node, as far as it is known: the clients of the tests have the same. */
  readonly now: () => number
  /** The longest time that a reply took so far, in ms. */
  readonly slowest: () => number
  /** A command about keys of this test alone. */
  readonly about: (
    names: readonly string[],
    owner: string,
    more?: Pick<TestSubject, 'metadata' | 'isThrottle'>,
  ) => AboutKeys
  /** Sends a command. @throws where the node rejects it, does not answer, or has another id than before. */
  readonly run: (command: Command, sending?: Sending) => Promise<Reply>
  /** Sends a command that the node may reject. @throws where it does not answer. */
  readonly attempt: (command: Command, sending?: Sending) => Promise<Reply | Error>
  /** Ends the test. `seen`: the commands and replies that show the problem. */
  readonly fail: (problem: string, seen?: readonly unknown[]) => never
}

/** What the benches of all tests share. */
export type SuiteState = {
  readonly node: LockNode
  readonly random: Random
  readonly seed: number
  /** The prefix of all keys. */
  readonly prefix: string
  /** Ms after which a command counts as hanging. */
  readonly timeout: number
  /**
   * The id of the server, as soon as it is known; the slowest reply; and the ms by which the clock of the node is ahead
   * of ours.
   */
  readonly seen: { server?: string; slowest: number; ahead: number }
}

/** The command as a client sends it: with how Redis runs it, if that is not the script of locks. */
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

// It never expires, so all runs leave this one.
const identity = 'test:id'

const noReply = Symbol('no reply')

/** Waits for a reply, or an error, for so many ms. */
const within = async (
  timeout: number,
  start: () => Promise<Reply>,
): Promise<Reply | Error | typeof noReply> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<typeof noReply>((resolve) => {
    timer = setTimeout(() => resolve(noReply), timeout)
  })
  try {
    return await Promise.race([start(), late])
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    clearTimeout(timer)
  }
}

/** Checks that a reply names the server, which stays the same. */
const checkServer = (
  shared: SuiteState,
  command: Command,
  reply: Reply,
  fail: Bench['fail'],
): void => {
  const { seen } = shared
  if (typeof reply?.server !== 'string') fail('a reply names no server', [command, reply])
  seen.server ??= reply.server
  if (reply.server !== seen.server)
    fail(`the server was ${seen.server} and is now another one`, [command, reply])
}

/** The bench of one test. */
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
