// The order in which to fix the findings: first the problems that prevent a node from voting, then `no-lock`, which
// results from them. Next come the problems that can grant a lock twice, then the rest.
const codes = [
  'unauthorized',
  'unreachable',
  'timeout',
  'not-redis',
  'binding',
  'no-permission',
  'no-scripts',
  'cluster',
  'loading',
  'foreign-data',
  'read-only',
  'replica',
  'same-database',
  'copied-data',
  'no-run-id',
  'no-lock',
  'info-rejected',
  'time-rejected',
  'eviction',
  'not-persistent',
  'clock',
  'own-clock',
  'same-server',
  'quarantined',
  'number-of-nodes',
  'one-platform',
  'slow',
  'upstash',
  'fsync',
] as const

/** Identifies the kind of a finding. */
export type FindingCode = (typeof codes)[number]

/** A problem with the nodes, or a fact that the doctor cannot check. */
export type Finding = {
  readonly code: FindingCode
  /**
   * - `problem`: locks are less safe or less available than they should be.
   * - `hint`: something to look up, or to keep in mind.
   */
  readonly level: 'problem' | 'hint'
  /** The names of the affected nodes; empty if the finding applies to all nodes. */
  readonly nodes: readonly string[]
  /** The problem and its consequence. */
  readonly message: string
  /** The remedy. */
  readonly fix: string
}

/** A finding without its nodes. */
export type Diagnosis = Omit<Finding, 'nodes'>

export const diagnosisOf = (code: FindingCode, message: string, fix: string): Diagnosis => ({
  code,
  level: 'problem',
  message,
  fix,
})

export const hint = (code: FindingCode, message: string, fix: string): Diagnosis => ({
  code,
  level: 'hint',
  message,
  fix,
})

/** Creates a finding from a diagnosis and its nodes. */
export const about = (nodes: readonly string[], diagnosis: Diagnosis): Finding => ({
  ...diagnosis,
  nodes,
})

const rank = ({ level, code }: Finding): number =>
  (level === 'problem' ? 0 : codes.length) + codes.indexOf(code)

/** Sorts problems before hints, the most urgent first. */
export const byUrgency = (a: Finding, b: Finding): number => rank(a) - rank(b)
