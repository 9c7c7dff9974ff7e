import Table from 'cli-table3'
import type { Verdict } from './verdict.ts'

const grouped = (value: number): string => value.toLocaleString('en')

/** All verdicts, as a table for a terminal. */
export const terminalTable = (verdicts: readonly Verdict[]): string => {
  const table = new Table({
    head: ['check', 'description', 'expected', 'result', 'states', 'depth', 'steps', 'seconds'],
    colAligns: ['left', 'left', 'left', 'left', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  })
  for (const { id, description, expected, result, states, depth, steps, seconds } of verdicts) {
    table.push([
      id,
      description,
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

/** A summary in one line. */
export const figure = (verdicts: readonly Verdict[]): string => {
  const of = (expected: Verdict['expected']) => {
    const matching = verdicts.filter((verdict) => verdict.expected === expected)
    const met = matching.filter(({ isMet }) => isMet).length
    const states = matching.reduce((sum, verdict) => sum + verdict.states, 0)
    return {
      count: matching.length,
      score: `${met} of ${matching.length}`,
      states: grouped(states),
    }
  }
  const [worlds, broken, probes] = [of('holds'), of('broken'), of('reachable')]
  const parts = [
    worlds.count > 0 &&
      `tokens and records hold in ${worlds.score} worlds (${worlds.states} states)`,
    broken.count > 0 && `${broken.score} broken variants found`,
    probes.count > 0 && `${probes.score} probes reached`,
  ]
  return `Model: ${parts.filter(Boolean).join('; ')}.`
}
