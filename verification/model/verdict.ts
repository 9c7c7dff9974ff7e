import type { Check } from './check.ts'
import { readSearch, type Search, whyNotExhaustive } from './pan.ts'
import { lengthOf } from './trace.ts'

/** The result of a check, and whether it is the expected one. */
export type Verdict = Check &
  Search & {
    readonly isMet: boolean
    readonly result: string
    readonly trace: readonly string[]
    /** The length of the trace. */
    readonly steps: number
    readonly seconds: number
  }

const resultOf = (
  expected: Check['expected'],
  violated: Search['violated'],
  gap: string | undefined,
): { isMet: boolean; result: string } => {
  if (violated === 'unreached') return { isMet: expected === 'reachable', result: 'reached' }
  if (violated) return { isMet: expected === 'broken', result: `not ${violated}` }
  if (expected === 'reachable') return { isMet: false, result: 'NOT REACHED' }
  if (expected === 'broken') return { isMet: false, result: 'NOT FOUND' }
  return gap === undefined
    ? { isMet: true, result: 'holds, all states' }
    : { isMet: false, result: `NOT EXHAUSTED: ${gap}` }
}

/** Compares the report of the verifier with the expected result of its check. */
export const judge = (
  check: Check,
  { output, trace, seconds }: { output: string; trace: readonly string[]; seconds: number },
): Verdict => {
  const search = readSearch(output)
  const { isMet, result } = resultOf(check.expected, search.violated, whyNotExhaustive(output))
  return { ...check, ...search, isMet, result, trace, steps: lengthOf(trace), seconds }
}
