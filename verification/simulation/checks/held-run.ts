import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import { heldUntil } from '../../history/holds.ts'
import type { Operation } from '../../history/operation.ts'

/** Work that is done under the claim of a key. */
export type HeldRun = {
  /** The value or response that every caller of the key receives. */
  readonly content: string
  readonly client: SimulatedClient
  readonly hold: Operation
}

/** Checks, when a run begins, that no other run has a live process and a valid claim. */
export const checkAlone = ({ recorder, loop }: Scenario, runs: readonly HeldRun[]): void => {
  for (const { client, hold, content } of runs) {
    const isRunning = client.process.isAlive() && heldUntil(hold) > loop.now()
    if (isRunning) recorder.violated('once', `runs while ${content} is under way`)
  }
}
