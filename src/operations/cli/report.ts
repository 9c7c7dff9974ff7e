import type { Check, NodeCheck } from '../doctor/check.ts'
import type { Finding } from '../doctor/finding.ts'
import type { Redundancy } from '../doctor/redundancy.ts'
import { table } from './table.ts'

const heading = [
  '',
  'node',
  'scripts',
  'latency',
  'clock',
  'TIME',
  'INFO',
  'role',
  'eviction',
  'persistence',
  'run_id',
  'Redis',
]

const persistence = (aof: string | undefined, volatile: NodeCheck['volatile']): string => {
  if (volatile) return 'volatile'
  if (aof === undefined) return '?'
  return aof === '1' ? 'append-only file' : 'none'
}

const rowOf = (check: NodeCheck, index: number): string[] => {
  const begin = [`${index + 1}`, check.node]
  const { server, latency, clockOffset, volatile } = check
  if (!server) return [...begin, 'no']
  const { info, rejected } = server
  const sign = (clockOffset ?? 0) < 0 ? '' : '+'
  return [
    ...begin,
    'yes',
    `${latency} ms`,
    clockOffset === undefined ? '?' : `${sign}${clockOffset} ms`,
    rejected.time ? 'rejected' : 'yes',
    rejected.info ? 'rejected' : 'yes',
    info.role ?? '?',
    info.maxmemory_policy ?? '?',
    persistence(info.aof_enabled, volatile),
    info.run_id?.slice(0, 8) ?? '?',
    `${info.redis_version ?? '?'}${info.cluster_enabled === '1' ? ' cluster' : ''}`,
  ]
}

const lockLine = ({ lock: { error, fence, released } }: Check): string =>
  error === undefined
    ? `Throw-away lock: acquired, fencing token ${fence}, ${released}.`
    : `Throw-away lock: failed. ${error}`

const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`

const redundancyLine = ({ nodes }: Check, { distinct, survives }: Redundancy): string => {
  const consequence =
    survives < 0 ? 'no lock can be acquired' : `the lock survives ${count(survives, 'failure')}`
  return `Distinct nodes that work: ${distinct} of ${nodes.length}; ${consequence}.`
}

const verdict = (check: Check, findings: readonly Finding[]): string => {
  const problems = findings.filter(({ level }) => level === 'problem').length
  const hints = findings.length - problems
  const parts = [
    problems === 0
      ? `All is well with ${count(check.nodes.length, 'node')}`
      : count(problems, 'problem'),
    ...(hints === 0 ? [] : [count(hints, 'hint')]),
  ]
  return `${parts.join(', ')}.`
}

/** Emphasizes a word if the terminal supports colors. */
export type Emphasize = (level: Finding['level'], text: string) => string

/** Formats the report as lines of text. */
export const reportLines = (
  source: string,
  check: Check,
  findings: readonly Finding[],
  redundancy: Redundancy,
  emphasize: Emphasize,
): string[] => [
  `Nodes from ${source}`,
  '',
  ...table([heading, ...check.nodes.map(rowOf)]),
  '',
  lockLine(check),
  ...findings.flatMap(({ level, nodes, message, fix }) => [
    '',
    `${emphasize(level, level === 'problem' ? 'Problem' : 'Hint')}: ${message}`,
    ...nodes.map((node) => `  ${node}`),
    `  Fix: ${fix}`,
  ]),
  '',
  redundancyLine(check, redundancy),
  verdict(check, findings),
]
