import { Redlock } from 'edge-redlock'
import type { LockNode } from 'edge-redlock/custom-node'
import pg from 'pg'
import { postgresNode, type Transaction } from './node.ts'

/** Whether the connection has ended because the network or the server failed. */
const isLost = ({ message, code = '' }: Error & { readonly code?: string }): boolean =>
  /^(Connection terminated|Client has encountered a connection error)/.test(message) ||
  /^(57P|08|25P03|ECONNRESET|EPIPE)/.test(code)

// A process that pauses inside a transaction blocks its keys for 2 s, until the server rolls back. SET LOCAL ends
// with the transaction, so this also works with a pooler.
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL lock_timeout = '2s'; SET LOCAL idle_in_transaction_session_timeout = '2s'`

/** The transactions of a pool of connections. */
export const transactionsOf = (pool: pg.Pool): Transaction => {
  // A failed query reports its own error. Without a listener, a lost connection would end the process.
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
      // Closes the connection, which rolls back.
      client.release(true)
      // If this is true, the client sends the command again.
      throw Object.assign(error as Error, { retryable: isLost(error as Error) })
    }
  }
}

/** A node over a database, and a function that closes its connections. */
export type OpenNode = { readonly node: LockNode; readonly close: () => Promise<void> }

/** Opens a pool of connections to one database. */
export const openNode = (connectionString: string): OpenNode => {
  const pool = new pg.Pool({ connectionString, max: 10, connectionTimeoutMillis: 2_000 })
  const node = postgresNode(new URL(connectionString).host, transactionsOf(pool))
  return { node, close: () => pool.end() }
}

/** Locks over three separate databases. */
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
