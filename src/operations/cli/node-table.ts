import type { NodeReport } from '../../core/results/node-report.ts'
import { table } from './table.ts'

/** Formats node reports as the lines of a table. */
export const nodeTable = (nodes: readonly NodeReport[]): string[] =>
  table([
    ['node', 'status', 'holder', 'for', 'details'],
    ...nodes.map(({ node, status, holder = '', ttl, metadata, error }) => [
      node,
      status,
      holder,
      status === 'locked' && ttl !== undefined ? `${ttl} ms` : '',
      String(error ?? metadata ?? ''),
    ]),
  ])
