/** What SPIN's verifier says about one search. */
export type Search = {
  readonly states: number
  readonly transitions: number
  /** Of the longest run that was followed, in steps of the verifier. */
  readonly depth: number
  /** Of the shortest run found that makes an assertion false: which one. */
  readonly violated?: Violation
}

/** The assertions of the model, by the variable that holds the truth of each. */
export type Violation = 'unique' | 'ordered' | 'unreached'

// What the verifier prints when it has not visited every state.
const signsOfLess = [
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
 * Reads what the verifier printed.
 *
 * @throws when it is no report of a search, or when an assertion failed that is about the model and
 * not about the protocol, such as that no counter outgrows its bits.
 */
export const readSearch = (output: string): Search => {
  const violated = [...output.matchAll(/assertion violated\s+(.+?) \(at depth/g)].at(-1)?.[1]
  if (violated && !['unique', 'ordered', 'unreached'].includes(violated)) {
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
  return violated ? { ...search, violated: violated as Violation } : search
}

/**
 * Why the search is no proof, if it is none: it was cut off, or it did not compare whole states (it
 * calls itself a "Bit statespace search" or "Hash-Compact search" then).
 */
export const whyNotExhaustive = (output: string): string | undefined => {
  const sign = signsOfLess.find((text) => output.includes(text))
  if (sign) return sign
  if (!output.includes('\nFull statespace search for:')) return 'no full search of the states'
  if (!/^\s+assertion violations\s+\+$/m.test(output)) return 'assertions were not checked'
  return undefined
}
