import type { NodeReport } from '../reports/node-report.ts'
import { table } from './table.ts'

/** The reports of nodes as lines, errors as text. @param granted - What a node has done that agreed. */
export const nodeTable = (nodes: readonly NodeReport[], granted = 'granted'): string[] =>
  table([
    ['node', 'status', 'holder', 'for', 'what it says'],
    ...nodes.map(({ node, status, holder = '', ttl, metadata, error }) => [
      node,
      status === 'granted' ? granted : status,
      holder,
      status === 'locked' && ttl !== undefined ? `${ttl} ms` : '',
      String(error ?? metadata ?? ''),
    ]),
  ])
