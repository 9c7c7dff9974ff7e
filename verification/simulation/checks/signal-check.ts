import type { Lock } from '../../../src/index.ts'
import { hasHonestClocks } from '../workload/fault-rates.ts'
import type { Actor, Scene } from '../workload/simulated-client.ts'
import type { Hold } from './recorder.ts'

/** The signal must have aborted when the validity is over, unless the lock was given back. */
export const watchSignal = (scene: Scene, actor: Actor, lock: Lock, hold: Hold): void => {
  const { world, recorder, weather } = scene
  const { signal } = lock
  // A wall clock that leaps forward ends the validity at once, and the timer does not see it.
  if (!hasHonestClocks(weather) || weather.processJumps > 0) return
  const look = (isLast: boolean): void => {
    if (!actor.holding.has(hold)) return
    // Whoever has stood still is given a moment to see what time it is.
    if (world.now() < hold.until + 4) lookIn(hold.until + 5 - world.now(), false)
    else if (signal.aborted) recorder.met('a signal that told of the end')
    else if (!isLast) lookIn(2, true)
    else
      recorder.violated('signal', `${hold.process} is not told of the end of ${hold.keys.join()}`)
  }
  const lookIn = (delay: number, isLast: boolean): void =>
    void world.after(delay, () => actor.process.enter(() => look(isLast)))
  lookIn(hold.until + 5 - world.now(), false)
}
