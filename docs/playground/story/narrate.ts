import type { Recording } from '../world/recording.ts'
import { answerSteps, askingSteps } from './asking.ts'
import { expirySteps, faultSteps } from './faults.ts'
import { holderSteps, outcomeSteps, tokenSteps } from './outcomes.ts'
import type { Step } from './step.ts'
import { writeSteps } from './writes.ts'

/** A run in sentences, in the order in which things happened. Of one moment, causes come first. */
export const narrate = (recording: Recording): readonly Step[] =>
  [
    ...faultSteps(recording),
    ...expirySteps(recording),
    ...answerSteps(recording),
    ...askingSteps(recording),
    ...writeSteps(recording),
    ...outcomeSteps(recording),
    ...tokenSteps(recording),
    ...holderSteps(recording),
  ].toSorted((a, b) => a.at - b.at)
