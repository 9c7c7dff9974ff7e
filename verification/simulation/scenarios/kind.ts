import type { EventLoop } from '../engine/event-loop.ts'
import type { Scenario } from '../workload/scenario.ts'

/** A kind of history. */
export type HistoryKind = {
  /** Draws the servers, their faults and the options of the clients. */
  readonly draw: (loop: EventLoop) => Scenario
  /** Runs the clients until no work is left. */
  readonly run: (scenario: Scenario) => Promise<void>
}
