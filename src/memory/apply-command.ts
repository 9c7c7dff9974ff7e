import type { MemoryServer } from './memory-server.ts'
import { runGuarded } from './restart-guard.ts'
import { checkCommand } from './run-command.ts'
import type { RunOptions } from '../protocol/node.ts'
import type { Command } from '../protocol/command.ts'
import type { Reply } from '../protocol/reply.ts'
import { assertOption, checkObject } from '../util/validate.ts'

/** The data that a store contains for one key. */
export type Row = {
  /** The value exactly as it was written. It can contain any characters. */
  readonly value: string
  /** When the row expires, in whole ms since 1970 by the store's clock, or Infinity. */
  readonly expiresAt: number
}

/** The options of `applyCommand`: the ones that `run` received, and the time. */
export type ApplyOptions = Pick<RunOptions, 'serverId' | 'guard'> & {
  /** The time on the store's clock, in ms since 1970. Read the clock after the rows are locked. */
  readonly now: number
  /**
   * Identifies the run of the store. The text must change after each event that can lose writes, such as a restart or a
   * failover. Required only for a node with `volatile: quarantine()`.
   */
  readonly run?: string | undefined
}

/** The result of a command. */
export type Applied = {
  /** The reply. `run` must not resolve to the reply before the changes are durable. */
  readonly reply: Reply
  /** The rows to write, by key; null for a row to delete. Empty for a command that changes nothing. */
  readonly changes: ReadonlyMap<string, Row | null>
}

/**
 * The keys that a command reads or writes, sorted and without duplicates. If your store locks rows, lock them in this
 * order, so that two commands never wait for each other.
 *
 * @param options - The options that `run` received.
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

/** Checks a row. Some database drivers return other types, such as a BIGINT as text, or a time as a Date. */
const checkRow = (row: Row): Row => {
  checkObject('rows', 'a Map of { value, expiresAt }', row)
  const { value, expiresAt } = row
  assertOption(typeof value === 'string', 'value', 'the text of a row', value)
  const isTime = typeof expiresAt === 'number' && !Number.isNaN(expiresAt)
  assertOption(isTime, 'expiresAt', 'the ms since 1970 of a row, or Infinity', expiresAt)
  return row
}

/** Creates a server whose keys are the rows, for the command to run on. */
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
        // An expired row is not deleted here, so that a read-only command changes nothing.
        return row && ms <= checkRow(row).expiresAt ? row : undefined
      },
      set: (key, row) => changes.set(key, row),
      delete: (key) => changes.set(key, null),
    },
    now: () => ms,
    run: () => `run_id:${encodeURIComponent(run ?? '')}`,
    product: 'custom',
  }
  // If `run` is missing, the server behaves like one that rejects INFO, which is allowed with `withoutRunId`.
  return guard && run === undefined ? { ...server, rejects: ['INFO'] } : server
}

/**
 * Computes the reply and the changes of a command from the existing rows. This is the whole protocol of a node, without
 * any I/O. In one transaction, read the rows of `keysOf`, call this function, and write the changes. Return the reply
 * once they are durable.
 *
 * Every command is supported: locks, throttles, slots, records and forced releases. Waiters are not woken, so clients
 * poll instead.
 *
 * @param command - The command that `run` received.
 * @param rows - The existing rows for the keys of `keysOf`. An expired row counts as missing.
 * @param options - The options that `run` received, and the time on the store's clock.
 * @throws `TypeError` if the command is unknown or an argument is wrong.
 * @throws `Error` if the node is volatile and `run` is missing. `run` is optional for a node with
 * `volatile: quarantine({ withoutRunId: true })`.
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
