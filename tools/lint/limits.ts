import type { DummyRuleMap } from 'oxlint'
import { exceptions, type LimitRule } from './exceptions.ts'

// How complex and how long a function of src may be. A function above a limit does several things: extract them.

/** The maximum of each rule. */
type Limits = Readonly<Record<LimitRule, number>>

export const limits: Limits = { complexity: 15, 'max-lines-per-function': 60 }

/** Limits as rules of oxlint. Comments and blank lines count as no lines. */
export const rulesOf = (max: Limits): DummyRuleMap => ({
  'eslint/complexity': ['error', { max: max.complexity }],
  'eslint/max-lines-per-function': [
    'error',
    { max: max['max-lines-per-function'], skipComments: true, skipBlankLines: true },
  ],
})

/** The limits of a file with exceptions: the highest value that one of its functions has. */
const raisedFor = (file: string): Limits => {
  const raised = { ...limits }
  for (const { rule, value } of exceptions.filter((exception) => exception.file === file)) {
    raised[rule] = Math.max(raised[rule], value)
  }
  return raised
}

/** Overrides of oxlint for the files with exceptions, so that it reports only what is new. */
export const overrides = [...new Set(exceptions.map(({ file }) => file))].map((file) => ({
  files: [file],
  rules: rulesOf(raisedFor(file)),
}))
