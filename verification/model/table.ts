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

/** The figure: what was searched, and what was found. */
export const figure = (verdicts: readonly Verdict[]): string => {
  const of = (expected: Verdict['expected']) => {
    const those = verdicts.filter((verdict) => verdict.expected === expected)
    const met = those.filter(({ isMet }) => isMet).length
    const states = those.reduce((sum, verdict) => sum + verdict.states, 0)
    return { count: those.length, score: `${met} of ${those.length}`, states: grouped(states) }
  }
  const [worlds, broken, probes] = [of('holds'), of('broken'), of('reachable')]
  const parts = [
    worlds.count > 0 &&
      `tokens are unique and ordered in ${worlds.score} worlds (${worlds.states} states)`,
    broken.count > 0 && `${broken.score} broken variants found`,
    probes.count > 0 && `${probes.score} probes reached`,
  ]
  return `Model: ${parts.filter(Boolean).join('; ')}.`
}
