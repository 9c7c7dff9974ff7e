import type { MemoryServer } from './memory-server.ts'
import { runGuarded } from './restart-guard.ts'
import { checkCommand } from './run-command.ts'
import type { RunOptions } from '../protocol/node.ts'
import type { Command } from '../protocol/command.ts'
import type { Reply } from '../protocol/reply.ts'
import { assertOption, checkObject } from '../util/validate.ts'

/** The data that a store keeps for one key. */
export type Row = {
  /** A text of any characters, as it was written. */
  readonly value: string
  /** When the row expires: whole ms since 1970 by the clock of the store, or Infinity. */
  readonly expiresAt: number
}

/** The options of `applyCommand`: those of `run`, and the time. */
export type ApplyOptions = Pick<RunOptions, 'serverId' | 'guard'> & {
  /** The time by the clock of the store, in ms since 1970. Read it after the rows are locked. */
  readonly now: number
  /**
   * Identifies the run of the store. The text must change after each event that may lose writes, such as a restart or a
   * failover. Only a node with `volatile: quarantine()` needs it.
   */
  readonly run?: string | undefined
}

/** The outcome of a command. */
export type Applied = {
  /** The reply. `run` must resolve to it only once the changes are durable. */
  readonly reply: Reply
  /** The rows to write, by key; null for a row to delete. Empty if the command only reads. */
  readonly changes: ReadonlyMap<string, Row | null>
}

/**
 * The keys that a command reads or writes, sorted and without duplicates. If your store locks rows, lock them in this
 * order, so that two commands never wait for each other.
 *
 * @param options - The options of `run`.
 * @throws `TypeError` if the command is unknown.
 * @example
 * ```ts
 * const keys = keysOf(command, options)
 * const found = await query('SELECT * FROM locks WHERE key = ANY($1)', [keys])
 * ```
 */
export const keysOf = (command: Command, options: Pick<RunOptions, 'guard'> = {}): string[] => {
  checkCommand(command)
  if (command.op === 'check') return [command.identity]
  if ('queue' in command) return [...new Set([command.queue, command.key])].sort()
  const { keys, fences, tombstone, identity } = command
  const all = new Set([...keys, ...fences, tombstone, identity])
  if (command.op === 'release' && command.wakes !== undefined) all.add(command.wakes)
  if (options.guard) all.add(options.guard.key)
  return [...all].sort()
}

/** Checks a row. A driver may return other types: a BIGINT as text, or a time as a Date. */
const checkRow = (row: Row): Row => {
  checkObject('rows', 'a Map of { value, expiresAt }', row)
  const { value, expiresAt } = row
  assertOption(typeof value === 'string', 'value', 'the text of a row', value)
  const isTime = typeof expiresAt === 'number' && !Number.isNaN(expiresAt)
  assertOption(isTime, 'expiresAt', 'the ms since 1970 of a row, or Infinity', expiresAt)
  return row
}

/** A server whose keys are the rows. The command runs on it. */
const serverOf = (
  rows: ReadonlyMap<string, Row>,
  changes: Map<string, Row | null>,
  { now, run, guard }: ApplyOptions,
): MemoryServer => {
  const ms = Math.floor(now)
  const server: MemoryServer = {
    entries: {
      get: (key) => {
        const row = changes.has(key) ? changes.get(key) : rows.get(key)
        // An expired row is left to the store, so that a command that only reads changes nothing.
        return row && ms <= checkRow(row).expiresAt ? row : undefined
      },
      set: (key, row) => changes.set(key, row),
      delete: (key) => changes.set(key, null),
    },
    now: () => ms,
    run: () => `run_id:${encodeURIComponent(run ?? '')}`,
    product: 'custom',
  }
  // Without a run, it cannot report one. No client asks for it.
  return guard && run === undefined ? { ...server, rejects: ['INFO'] } : server
}

/**
 * Computes the reply and the changes of a command from the rows that it reads. This is the whole protocol of a node,
 * without any I/O. In one transaction, read the rows of `keysOf`, call this function, and write the changes. Reply once
 * they are durable.
 *
 * It supports every command: locks, throttles, slots, records, and releases by force. It wakes no waiter, so clients
 * ask again after a delay.
 *
 * @param command - The command of `run`.
 * @param rows - The existing rows of `keysOf`. An expired row counts as missing.
 * @param options - The options of `run`, and the time by the clock of the store.
 * @throws `TypeError` if the command is unknown, or an argument is wrong.
 * @throws `Error` if the node is volatile and `run` is missing. A node with
 * `volatile: quarantine({ withoutRunId: true })` does not need it.
 * @example
 * ```ts
 * const rows = new Map<string, Row>()
 * const node: LockNode = {
 *   name: 'memory',
 *   run: async (command, options) => {
 *     const { reply, changes } = applyCommand(command, rows, { ...options, now: Date.now() })
 *     for (const [key, row] of changes) {
 *       if (row) rows.set(key, row)
 *       else rows.delete(key)
 *     }
 *     return reply
 *   },
 * }
 * ```
 */
export const applyCommand = (
  command: Command,
  rows: ReadonlyMap<string, Row>,
  options: ApplyOptions,
): Applied => {
  checkCommand(command)
  checkObject('options', 'an object in applyCommand()', options)
  const { now, serverId, guard, run } = options
  const isMap = typeof (Object(rows) as Partial<typeof rows>).get === 'function'
  assertOption(isMap, 'rows', 'a Map in applyCommand()', rows)
  assertOption(Number.isFinite(now), 'now', 'the ms since 1970 in applyCommand()', now)
  const isId = !('identity' in command) || (typeof serverId === 'string' && serverId !== '')
  assertOption(isId, 'serverId', 'the one that run() received', serverId)
  const isRun = run === undefined || (typeof run === 'string' && run !== '')
  assertOption(isRun, 'run', 'a text that changes when the store may lose writes', run)
  if (guard && run === undefined && !guard.withoutRunId)
    throw new Error(
      'A volatile node must pass `run` to applyCommand(): a text that identifies the run of its store',
    )
  const changes = new Map<string, Row | null>()
  return { reply: runGuarded(serverOf(rows, changes, options), command, serverId, guard), changes }
}
