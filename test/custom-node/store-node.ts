import {
  applyCommand,
  type Command,
  type LockNode,
  type Reply,
  type Row,
} from 'edge-redlock/custom-node'

/** The rows of a store. */
export type Rows = Map<string, Row>

/** Writes the changes of a command. */
export const writeTo = (rows: Rows, changes: Iterable<readonly [string, Row | null]>): void => {
  for (const [key, row] of changes) {
    if (row) rows.set(key, row)
    else rows.delete(key)
  }
}

/** What is wrong with a node: each part replaces a step of a run. */
export type Fault = {
  /** What arrives. */
  readonly command?: (command: Command) => Command
  readonly now?: (command: Command) => number
  /** The key under which the store keeps a row, and the value that it keeps. */
  readonly storedKey?: (key: string) => string
  readonly storedValue?: (value: string) => string
  /** What is read. */
  readonly read?: (rows: Rows, command: Command, now: number) => Rows
  /** What is written. */
  readonly change?: (
    changes: Map<string, Row | null>,
    command: Command,
    rows: Rows,
    now: number,
  ) => void
  readonly reply?: (reply: Reply, command: Command) => Reply
  /** Wraps the whole run. */
  readonly run?: (run: LockNode['run']) => LockNode['run']
  readonly volatile?: LockNode['volatile']
  /** The run of the store. */
  readonly runId?: () => string
}

/** Rows in a table that takes some keys for one, or changes values. */
const tableOf = (rows: Rows, { storedKey, storedValue }: Fault): Rows => {
  if (!storedKey && !storedValue) return rows
  const [keyOf, valueOf] = [storedKey ?? String, storedValue ?? String]
  return Object.assign(new Map<string, Row>(), {
    get: (key: string) => rows.get(keyOf(key)),
    has: (key: string) => rows.has(keyOf(key)),
    delete: (key: string) => rows.delete(keyOf(key)),
    set: (key: string, row: Row) => rows.set(keyOf(key), { ...row, value: valueOf(row.value) }),
  })
}

/** A node over rows in memory, with a fault. */
export const storeNode = (stored: Rows, fault: Fault = {}): LockNode => {
  const rows = tableOf(stored, fault)
  const run: LockNode['run'] = async (sent, options) => {
    const command = fault.command?.(sent) ?? sent
    const now = fault.now?.(command) ?? Date.now()
    const read = fault.read?.(rows, command, now) ?? rows
    const runId = fault.runId?.()
    const { reply, changes } = applyCommand(command, read, { ...options, now, run: runId })
    const writes = new Map(changes)
    fault.change?.(writes, command, rows, now)
    writeTo(rows, writes)
    return fault.reply?.(reply, command) ?? reply
  }
  return { name: 'store', run: fault.run?.(run) ?? run, volatile: fault.volatile }
}
