/** The subject of a finding. */
export type FindingCode =
  | 'unreachable'
  | 'timeout'
  | 'unauthorized'
  | 'no-permission'
  | 'no-scripts'
  | 'not-redis'
  | 'loading'
  | 'cluster'
  | 'same-database'
  | 'same-server'
  | 'replica'
  | 'read-only'
  | 'eviction'
  | 'not-persistent'
  | 'fsync'
  | 'time-refused'
  | 'info-refused'
  | 'no-run-id'
  | 'quarantined'
  | 'clock'
  | 'own-clock'
  | 'slow'
  | 'number-of-nodes'
  | 'upstash'
  | 'no-lock'

/** Something that is wrong with the nodes, or that cannot be seen from outside. */
export type Finding = {
  readonly code: FindingCode
  /**
   * `problem`: the lock is less safe or less available than it should be; `hint`: something to look up,
   * or to know.
   */
  readonly level: 'problem' | 'hint'
  /** The names of the nodes; empty where it concerns all of them. */
  readonly nodes: readonly string[]
  /** The problem and its consequence. */
  readonly message: string
  /** The remedy. */
  readonly fix: string
}

/** A finding without the nodes that it is about. */
export type Diagnosis = Omit<Finding, 'nodes'>

export const problem = (code: FindingCode, message: string, fix: string): Diagnosis => ({
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

/** The finding of a diagnosis about these nodes. */
export const about = (nodes: readonly string[], diagnosis: Diagnosis): Finding => ({
  ...diagnosis,
  nodes,
})
