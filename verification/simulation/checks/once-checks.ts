import type { Scenario } from '../workload/scenario.ts'
import { minLife, type OnceLog } from './once-log.ts'

// The ms until a waiting call detects a run under way, and until it has read the value of a run that has ended.
const [toLearn, toRead] = [60, 300]

/**
 * Checks calls with `keepFor: 0`: a call that waits during a run shares its value. No call gets the value of a run that
 * ended long ago. This is only for histories in which nothing else ends a call.
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
