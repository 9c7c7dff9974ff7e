import Table from 'cli-table3'
import type { Verdict } from './verdict.ts'

const grouped = (value: number): string => value.toLocaleString('en')

/** All verdicts, for a terminal. */
export const terminalTable = (verdicts: readonly Verdict[]): string => {
  const table = new Table({
    head: ['check', 'what', 'expected', 'result', 'states', 'depth', 'steps', 'seconds'],
    colAligns: ['left', 'left', 'left', 'left', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  })
  for (const { id, about, expected, result, states, depth, steps, seconds } of verdicts) {
    table.push([
      id,
      about,
      expected,
      result,
      grouped(states),
      depth,
      steps || '',
      seconds.toFixed(1),
    ])
  }
  return table.toString()
}

/** How many of the checks that expect this are met: "7 of 7". */
const score = (verdicts: readonly Verdict[], expected: Verdict['expected']): string => {
  const those = verdicts.filter((verdict) => verdict.expected === expected)
  return `${those.filter(({ isMet }) => isMet).length} of ${those.length}`
}

/** The figure: what was searched, and what was found. */
export const figure = (verdicts: readonly Verdict[]): string => {
  const searched = verdicts
    .filter(({ expected }) => expected === 'holds')
    .reduce((sum, { states }) => sum + states, 0)
  return [
    `Model: tokens are unique and ordered in ${score(verdicts, 'holds')} worlds,`,
    `all of their ${grouped(searched)} states searched;`,
    `${score(verdicts, 'broken')} broken variants found;`,
    `${score(verdicts, 'reachable')} probes reached.`,
  ].join(' ')
}
