import type { Recording } from '../world/recording.ts'
import { answerSteps } from './answers.ts'
import { askingSteps } from './asking.ts'
import { expirySteps, faultSteps } from './faults.ts'
import { heldSteps, tokenSteps } from './holding.ts'
import { recordSteps } from './records.ts'
import { outcomeSteps } from './outcomes.ts'
import type { Step } from './step.ts'
import { waitingSteps } from './waiting.ts'
import { writeSteps } from './writes.ts'

/** A run in sentences, in the order in which things happened. Of one moment, causes come first. */
export const narrate = (recording: Recording): readonly Step[] =>
  [
    ...faultSteps(recording),
    ...expirySteps(recording),
    ...answerSteps(recording),
    ...waitingSteps(recording),
    ...askingSteps(recording),
    ...outcomeSteps(recording),
    ...tokenSteps(recording),
    ...writeSteps(recording),
    ...heldSteps(recording),
    ...recordSteps(recording),
  ].toSorted((a, b) => a.at - b.at)
