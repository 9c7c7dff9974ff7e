import { applyCommand, type LockNode, type Row } from 'edge-redlock/custom-node'

/** A node over a Map, which lives as long as the process. */
export const mapNode = (name: string): LockNode & { rows: Map<string, Row> } => {
  const rows = new Map<string, Row>()
  return {
    name,
    rows,
    run: async (command, options) => {
      const { reply, changes } = applyCommand(command, rows, { ...options, now: Date.now() })
      for (const [key, row] of changes) {
        if (row) rows.set(key, row)
        else rows.delete(key)
      }
      return reply
    },
  }
}
