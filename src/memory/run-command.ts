import type { CheckServer, Command } from '../protocol/command.ts'
import type { Reply } from '../protocol/reply.ts'
import { get, type MemoryServer, set } from './memory-server.ts'
import { runCheck } from './run-check.ts'
import { runForget } from './run-forget.ts'
import { runLock } from './run-lock.ts'
import { runQueue, runReleaseAndWake } from './run-queue.ts'
import { runRecord } from './run-record.ts'
import { runSlot } from './run-slot.ts'

/**
 * Returns the ID of the server, and stores `serverId` as the ID if the server has none. Undefined if `serverId` is
 * missing.
 */
export const identifyServer = (
  server: MemoryServer,
  command: Command,
  serverId: string | undefined,
): string | undefined => {
  if (serverId === undefined || !('identity' in command)) return undefined
  const known = get(server, command.identity)
  if (known === undefined) set(server, command.identity, serverId)
  return known ?? serverId
}

type Runners = {
  readonly [Op in Command['op']]: (
    server: MemoryServer,
    command: Extract<Command, { readonly op: Op }>,
    identity: string | undefined,
  ) => Reply
}

/** The implementation of each command. */
const runners: Runners = {
  acquire: runLock,
  extend: runLock,
  inspect: runLock,
  release: runReleaseAndWake,
  'acquire-slot': runSlot,
  prepare: runRecord,
  accept: runRecord,
  forget: runForget,
  join: runQueue,
  leave: runQueue,
  check: runCheck,
}

/**
 * Checks that this version supports a command. A node that is deployed separately from its clients may receive commands
 * of another version.
 *
 * @throws `TypeError` if the command is not supported.
 */
export const checkCommand = (command: Command): void => {
  if (!Object.hasOwn(runners, Object(command).op))
    throw new TypeError('The node does not know this command')
}

/**
 * Runs a command on the keys of a server, synchronously.
 *
 * @throws `TypeError` if the command is unknown.
 */
export const runCommand = (server: MemoryServer, command: Command, serverId?: string): Reply => {
  checkCommand(command)
  const run = runners[command.op] as Runners['check']
  const identity = identifyServer(server, command, serverId)
  const reply = run(server, command as CheckServer, identity)
  return identity === undefined ? reply : { ...reply, server: identity }
}
