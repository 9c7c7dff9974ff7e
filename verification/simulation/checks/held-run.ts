import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import { heldUntil } from '../../history/holds.ts'
import type { Operation } from '../../history/operation.ts'

/** Work that is done under the claim of a key. */
export type HeldRun = {
  /** The value or answer that every caller of the key gets. */
  readonly content: string
  readonly client: SimulatedClient
  readonly hold: Operation
}

/** Checks, when a run begins, that no other run with a live process and a valid claim is under way. */
export const checkAlone = ({ recorder, loop }: Scenario, runs: readonly HeldRun[]): void => {
  for (const { client, hold, content } of runs) {
    const isRunning = client.process.isAlive() && heldUntil(hold) > loop.now()
    if (isRunning) recorder.violated('once', `runs while ${content} is under way`)
  }
}
