/** One run of SPIN, and its expected result. */
export type Check = {
  readonly model: 'fencing' | 'records'
  readonly id: string
  /**
   * - holds: all states were visited, and the properties are true in each of them.
   * - broken: a counterexample is found.
   * - reachable: a run is found that the probe claims to be impossible.
   */
  readonly expected: 'holds' | 'broken' | 'reachable'
  readonly description: string
  /** The differences from the defaults of the model: numbers are bounds, `true` is a switch. */
  readonly settings: Readonly<Record<string, number | true>>
  /** Whether the first counterexample is enough. Default: the search looks for the shortest. */
  readonly isFirst?: boolean
}

export type Size = 'ci' | 'long'
