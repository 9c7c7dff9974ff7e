import type { NodeReport } from '../../core/results/node-report.ts'
import { table } from './table.ts'

/** The reports of nodes as lines, errors as text. */
export const nodeTable = (nodes: readonly NodeReport[]): string[] =>
  table([
    ['node', 'status', 'holder', 'for', 'what it says'],
    ...nodes.map(({ node, status, holder = '', ttl, metadata, error }) => [
      node,
      status,
      holder,
      status === 'locked' && ttl !== undefined ? `${ttl} ms` : '',
      String(error ?? metadata ?? ''),
    ]),
  ])
