// `pan` is the verifier that SPIN generates for a model.

/** The result of one search, as the verifier reports it. */
export type Search = {
  readonly states: number
  readonly transitions: number
  /** The length of the longest run that was searched, in steps of the verifier. */
  readonly depth: number
  /** The assertion that the shortest counterexample violates. */
  readonly violated?: Violation
}

/** The assertions of the model, by variable. */
const violations = [
  'unique',
  'ordered',
  'sameAnswer',
  'staysForgotten',
  'runsOnce',
  'unreached',
] as const
export type Violation = (typeof violations)[number]

const isViolation = (name: string): name is Violation =>
  violations.some((violation) => violation === name)

// Messages of a verifier that has not visited every state.
const incompleteMessages = [
  'max search depth too small',
  'reached -DMEMLIM',
  'out of memory',
  'Interrupted',
  'Search not completed',
]

const numberAfter = (output: string, pattern: RegExp): number => {
  const found = pattern.exec(output)?.[1]
  if (found === undefined) throw new Error(`The verifier did not report ${pattern}:\n${output}`)
  return Number(found)
}

/**
 * Reads the report of the verifier.
 *
 * @throws if it is incomplete, or if an assertion about the model itself failed, for example that no counter exceeds
 *   its bits.
 */
export const readSearch = (output: string): Search => {
  const violated = [...output.matchAll(/assertion violated\s+(.+?) \(at depth/g)].at(-1)?.[1]
  if (violated !== undefined && !isViolation(violated)) {
    throw new Error(`The model does not fit its own bounds: ${violated} is false.`)
  }
  const search = {
    states: numberAfter(output, /^\s*([\d.e+]+) states, stored/m),
    transitions: numberAfter(output, /^\s*([\d.e+]+) transitions/m),
    depth: numberAfter(output, /depth reached (\d+)/),
  }
  const errors = numberAfter(output, /errors: (\d+)/)
  if (errors > 0 !== Boolean(violated)) {
    throw new Error(`The verifier counts ${errors} errors of another kind:\n${output}`)
  }
  return violated ? { ...search, violated } : search
}

/**
 * Returns why the search is not a proof, if so. It was incomplete, or it did not compare whole states (a "Bit
 * statespace search" or a "Hash-Compact search").
 */
export const whyNotExhaustive = (output: string): string | undefined => {
  const message = incompleteMessages.find((text) => output.includes(text))
  if (message) return message
  if (!output.includes('\nFull statespace search for:')) return 'no full search of the states'
  if (!/^\s+assertion violations\s+\+$/m.test(output)) return 'assertions were not checked'
  return undefined
}
