import type { Command, CommandGuard } from '../protocol/command.ts'
import type { Abstains, Reply } from '../protocol/reply.ts'
import { get, type MemoryServer, type ReplicationHistory, set } from './memory-server.ts'
import { identifyServer, runCommand } from './run-command.ts'

// quarantine.lua in TypeScript. The comments there explain why.

/** The run and the replication history of a server, as they appear in INFO. */
const infoOf = (
  server: MemoryServer,
): { readonly run: string; readonly reported: ReplicationHistory | undefined } =>
  server.rejects?.includes('INFO')
    ? { run: '-', reported: undefined }
    : { run: server.run(), reported: server.history?.() }

/**
 * Detects a restart or a promotion, and records the run. @returns ms until the server votes again; at most 0 if it
 * votes now.
 */
const quarantineLeft = (server: MemoryServer, { key, time }: CommandGuard): number => {
  const now = server.now()
  const { run, reported } = infoOf(server)
  const [lastRun, lastEnd, lastHistory = ''] = (get(server, key) ?? '').split(' ')
  const history = reported?.id ?? lastHistory
  const continues = history === lastHistory || lastHistory === '' || !reported?.isPromoted
  const isKnown = lastRun === run && continues
  const quarantineEnd = isKnown ? Number(lastEnd) : now + time
  const left = quarantineEnd - now
  if (!isKnown || (left <= 0 && history !== lastHistory)) {
    set(server, key, [run, quarantineEnd, history].join(' ').trimEnd())
  }
  return left
}

/**
 * The reply of a server that abstains; undefined if the server votes. Releases still run, because they grant nothing.
 */
const abstentionOf = (
  server: MemoryServer,
  { op }: Command,
  guard: CommandGuard,
): Abstains | undefined => {
  const { rejects } = server
  const isGrantless = op === 'release' || op === 'forget'
  if (rejects?.includes('TIME'))
    return isGrantless ? undefined : { status: 'abstains', because: 'TIME' }
  if (rejects?.includes('INFO') && !guard.withoutRunId)
    return isGrantless ? undefined : { status: 'abstains', because: 'run_id' }
  const ttl = quarantineLeft(server, guard)
  return ttl > 0 && !isGrantless ? { status: 'abstains', because: 'restarted', ttl } : undefined
}

/** Runs a command on a server, unless the guard makes the server abstain. */
export const runGuarded = (
  server: MemoryServer,
  command: Command,
  serverId: string | undefined,
  guard: CommandGuard | undefined,
): Reply => {
  if (!guard || !('tombstone' in command)) return runCommand(server, command, serverId)
  const identity = identifyServer(server, command, serverId)
  const abstention = abstentionOf(server, command, guard)
  return abstention ? { ...abstention, server: identity } : runCommand(server, command, serverId)
}
