import type { LineCall } from '../workload/line.ts'
import type { Scenario } from '../workload/scenario.ts'
import { timesOf } from './line-checks.ts'

// A line makes at most one attempt per minimum delay, plus this many.
const spareAttempts = 9

/** Checks that a line sends no more requests than a single caller would, no matter how many callers give up. */
export const checkStream = ({ recorder, servers }: Scenario, calls: readonly LineCall[]): void => {
  recorder.covered('line: callers give up one after the other')
  const settled = calls.map((call) => timesOf(call).settledAt)
  const [first, last] = [Math.min(...settled), Math.max(...settled)]
  const { retry, client } = calls[0]!
  let requests = 0
  for (const { process, sentAt, acquires } of recorder.askings.values()) {
    const isOfLine = process === client.process.name
    if (isOfLine && sentAt >= first - retry.delay && sentAt <= last) requests += acquires
  }
  const attempts = (last - first) / retry.delay + spareAttempts
  recorder.measured('requests of a line that gives up, per attempt of one', requests / attempts)
  if (requests > attempts * servers.length) {
    recorder.exceeded(
      'line requests',
      `${calls.length} calls sent ${requests} requests in ${(last - first).toFixed(0)} ms`,
    )
  }
}
