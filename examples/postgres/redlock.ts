import { Redlock } from 'edge-redlock'
import type { LockNode } from 'edge-redlock/custom-node'
import pg from 'pg'
import { postgresNode, type Transaction } from './node.ts'

/** Whether the connection was lost because the network or the server failed. */
const isLost = ({ message, code = '' }: Error & { readonly code?: string }): boolean =>
  /^(Connection terminated|Client has encountered a connection error)/.test(message) ||
  /^(57P|08|25P03|ECONNRESET|EPIPE)/.test(code)

// If a process pauses inside a transaction, its keys stay blocked for 2 s, until the server rolls back. SET LOCAL ends
// with the transaction, so this also works with a connection pooler.
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL lock_timeout = '2s'; SET LOCAL idle_in_transaction_session_timeout = '2s'`

/** Creates a function that runs transactions on a connection pool. */
export const transactionsOf = (pool: pg.Pool): Transaction => {
  // A failed query rejects with its own error. Without a listener, a lost connection would terminate the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return async (run) => {
    const client = await pool.connect()
    try {
      await client.query(begin)
      const result = await run(async (text, values) => (await client.query(text, values)).rows)
      await client.query('COMMIT')
      client.release()
      return result
    } catch (error) {
      // Close the connection, which rolls back the transaction.
      client.release(true)
      // If `retryable` is true, the client sends the command again.
      throw Object.assign(error as Error, { retryable: isLost(error as Error) })
    }
  }
}

/** A node that uses a database, and a function that closes its connections. */
export type OpenNode = { readonly node: LockNode; readonly close: () => Promise<void> }

/** Opens a connection pool for one database. */
export const openNode = (connectionString: string): OpenNode => {
  const pool = new pg.Pool({ connectionString, max: 10, connectionTimeoutMillis: 2_000 })
  const node = postgresNode(new URL(connectionString).host, transactionsOf(pool))
  return { node, close: () => pool.end() }
}

/** Opens a `Redlock` that uses several separate databases as nodes. */
export const openRedlock = (
  urls: readonly string[],
): { readonly redlock: Redlock; readonly close: () => Promise<void> } => {
  const opened = urls.map(openNode)
  const redlock = new Redlock({ nodes: opened.map(({ node }) => node) })
  return {
    redlock,
    close: async () => void (await Promise.all(opened.map(({ close }) => close()))),
  }
}
