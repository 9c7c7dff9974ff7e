import { isNotRecordedError } from '../../../src/entries/idempotency.ts'
import { isLockedError, isQuorumError } from '../../../src/index.ts'
import { isCalm } from '../workload/draw-records.ts'
import type { Scenario } from '../workload/scenario.ts'
import type { OnceCall } from './once-log.ts'

/** The error of the function. Only the call that ran the function may reject with it. */
export class RunError extends Error {
  readonly call: OnceCall
  constructor(call: OnceCall) {
    super('the run has failed')
    this.call = call
  }
}

// In the last part of a `wait`, the replies of some nodes may still be missing. The length of that part, in ms.
const lastTry = 100

/** Checks the error that a call of `once` rejects with. */
export const checkOnceError = (
  { loop, recorder, rates }: Scenario,
  call: OnceCall,
  error: unknown,
  signal?: AbortSignal,
): void => {
  const { run, client } = call
  const { name } = client.process
  const wrong = (what: string): void =>
    recorder.violated('errors', `${name} rejects with ${String(error)}, ${what}`)
  if (error instanceof RunError) {
    recorder.covered('once: the run has failed')
    if (error.call !== call) wrong('that of the run of another call')
  } else if (isNotRecordedError(error)) {
    recorder.covered(`once: not recorded, ${error.reason}`)
    if (!run || !error.hasRun || error.value !== run.content) wrong('without its own value')
  } else if (run) wrong('although it has run')
  else if (signal?.aborted && error === signal.reason) recorder.covered('once: aborted')
  else if (isLockedError(error)) recorder.covered('once: locked')
  else if (isQuorumError(error)) {
    recorder.covered('once: unavailable')
    // At the end of its `wait`, a call may have received too few replies.
    const isEarly = call.wait === 0 || loop.now() < call.calledAt + call.wait - lastTry
    if (isCalm(rates) && isEarly) {
      recorder.violated('outage', `${name} was refused, and all nodes are well`)
    }
  } else wrong('which is not documented')
}
