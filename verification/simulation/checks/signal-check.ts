import type { Lock } from '../../../src/index.ts'
import { hasAccurateClocks } from '../workload/fault-rates.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import { heldUntil } from '../../history/holds.ts'
import type { Operation } from '../../history/operation.ts'

// How long after the end of the validity the signal is checked, in ms.
const grace = 5
// The extra time for a process that has just resumed from a pause, in ms.
const secondGrace = 2

/** Checks that `lock.signal` has aborted at the end of the validity, unless the lock was released. */
export const watchSignal = (
  scenario: Scenario,
  client: SimulatedClient,
  lock: Lock,
  hold: Operation,
): void => {
  const { loop, recorder, rates } = scenario
  const { signal } = lock
  // A wall clock that jumps forward ends the validity immediately, but not the timer of the signal.
  if (!hasAccurateClocks(rates) || rates.processJumps > 0) return
  const look = (isLast: boolean): void => {
    if (!client.held.has(hold)) return
    // The lock may have been extended in the meantime.
    if (loop.now() < heldUntil(hold) + grace - 1)
      lookAfter(heldUntil(hold) + grace - loop.now(), false)
    else if (signal.aborted) recorder.covered('signal aborted at the end of validity')
    else if (!isLast) lookAfter(secondGrace, true)
    else {
      recorder.violated('signal', `${hold.process} got no abort at the end of ${hold.held!.join()}`)
    }
  }
  const lookAfter = (delay: number, isLast: boolean): void =>
    void loop.after(delay, () => client.process.run(() => look(isLast)))
  lookAfter(heldUntil(hold) + grace - loop.now(), false)
}
