import { areContendersWell, type Burst, burstsOf } from './burst.ts'
import { affectedIn } from './disturbances.ts'
import type { History } from './model.ts'
import { moment, type Violation } from './violation.ts'

// Checks that one client wins if several clients call for one key at the same moment, as long as a majority of nodes
// replies. (Another check verifies that no two clients hold the lock simultaneously.)

export type Bursts = {
  /** All bursts of two or more clients, and those that must have had a winner. */
  readonly bursts: number
  readonly judged: number
  /** The judged bursts without a winner. These are violations. */
  readonly withoutWinner: number
}

// A burst can take up to this multiple of the median acquire without faults. If a machine is so slow that this exceeds
// the validity of a lock, the validity can end before the vote.
const maxRounds = 10

const violationOf = (history: History, { key, contenders, window }: Burst): Violation => {
  const { run, begin } = history
  const answers = contenders.map(({ op, outcome, reason }) => `${op} was told ${reason ?? outcome}`)
  const affected = [...affectedIn(history, window)].map((node) => run.nodes[node])
  return {
    check: 'no winner',
    text: `${key}, at ${moment(begin, window.from)}, with ${affected.join(', ') || 'no node'} affected: ${answers.join('; ')}`,
    operations: contenders.map(({ op }) => op),
  }
}

/** @param usual - The p50 of acquires without faults, in ms. */
export const checkBursts = (
  history: History,
  usual: number,
): { bursts: Bursts; violations: Violation[] } => {
  const all = burstsOf(history)
  const minority = (history.run.nodes.length - 1) >> 1
  const undisturbed = all.filter((burst) => areContendersWell(history, burst))
  const judged = undisturbed.filter(
    ({ contenders, window }) =>
      affectedIn(history, window).size <= minority &&
      contenders.every(({ validity }) => maxRounds * usual <= validity!),
  )
  const violations = judged
    .filter(({ wonAt }) => wonAt === undefined)
    .map((burst) => violationOf(history, burst))
  return {
    bursts: {
      bursts: all.length,
      judged: judged.length,
      withoutWinner: violations.length,
    },
    violations,
  }
}
