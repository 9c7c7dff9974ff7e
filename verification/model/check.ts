/** One run of SPIN, and its expected result. */
export type Check = {
  readonly model: 'fencing' | 'records'
  readonly id: string
  /**
   * holds: the properties are true in every state, and all states were visited. broken: a
   * counterexample is found. reachable: a run is found that the probe claims to be impossible.
   */
  readonly expected: 'holds' | 'broken' | 'reachable'
  readonly description: string
  /** The differences from the defaults of the model: numbers are bounds, `true` is a switch. */
  readonly settings: Readonly<Record<string, number | true>>
  /** Whether the first counterexample will do. Default: the shortest is searched. */
  readonly isFirst?: boolean
}

export type Size = 'ci' | 'long'
