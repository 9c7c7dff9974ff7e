import type { Scenario } from '../workload/scenario.ts'
import { minLife, type OnceLog } from './once-log.ts'

// In ms: the time until a waiting call detects a run, and the time until it reads the value after the run has ended.
const [toLearn, toRead] = [60, 300]

/**
 * Checks calls with `keepFor: 0`. A call that waits during a run must share its value, and no call may receive the value
 * of a run that ended long ago. Only for histories in which nothing else ends a call.
 */
export const checkShared = (
  { recorder }: Scenario,
  { runs, calls, forgets }: Pick<OnceLog, 'runs' | 'calls' | 'forgets'>,
): void => {
  if (forgets.length > 0) return
  for (const call of calls) {
    const { calledAt, wait, keepFor, client, content } = call
    if (keepFor > 0) continue
    const got = runs.find((one) => one.content === content)
    if (got && calledAt > got.seenAt + 2 * minLife) {
      recorder.violated('fresh', `${client.process.name} got ${content}, which is long over`)
    }
    const shared = runs.find(
      ({ endedAt = 0, seenAt, client: runner }) =>
        runner !== client &&
        seenAt < Infinity &&
        calledAt + toLearn < endedAt &&
        calledAt + wait > endedAt + toRead,
    )
    if (!shared) continue
    recorder.covered('once: shared')
    if (!got || got.beganAt > shared.endedAt!) {
      recorder.violated(
        'share',
        `${client.process.name} waited for ${shared.content}, and got ${content}`,
      )
    }
  }
}
