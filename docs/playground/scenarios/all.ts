import { crowd } from './crowd.ts'
import { doubleClick } from './double-click.ts'
import { hangingNode } from './hanging-node.ts'
import { nodeDown } from './node-down.ts'
import { oneAnswer } from './one-answer.ts'
import { pausedHolder } from './paused-holder.ts'
import type { Scenario } from './scenario.ts'
import { slots } from './slots.ts'
import { splitVote } from './split-vote.ts'
import { waiting } from './waiting.ts'
import { wakeUp } from './wake-up.ts'

/** The scenarios, in the order in which the page offers them. The first is the default. */
export const scenarios: readonly Scenario[] = [
  doubleClick,
  oneAnswer,
  crowd,
  hangingNode,
  nodeDown,
  splitVote,
  waiting,
  wakeUp,
  slots,
  pausedHolder,
]

export const findScenario = (id: string): Scenario | undefined =>
  scenarios.find((scenario) => scenario.id === id)
