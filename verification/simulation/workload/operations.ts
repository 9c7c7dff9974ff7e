import { isLockedError, isLockLostError, isQuorumError, type Lock } from '../../../src/index.ts'
import {
  checkConfirmed,
  checkContinuity,
  checkExtended,
  checkGranted,
} from '../checks/history-checks.ts'
import type { Hold } from '../checks/recorder.ts'
import { watchSignal } from '../checks/signal-check.ts'
import { spoilData } from './data-loss.ts'
import { hasSafeData, isTidy } from './fault-rates.ts'
import { type Actor, checkSecrets, type Scene } from './simulated-client.ts'

// What clients do. Everything is drawn from the seed.

/** Notes an error that a call may end with; anything else is a violation. */
export const expected = (
  scene: Scene,
  where: string,
  error: unknown,
  signal?: AbortSignal,
): void => {
  const { recorder, weather } = scene
  checkSecrets(scene, `error of ${where}`, error)
  if (signal?.aborted && error === signal.reason) return recorder.met('an aborted call')
  if (isLockedError(error)) return recorder.met('locked')
  if (isQuorumError(error)) return recorder.met('unavailable')
  if (isLockLostError(error)) return recorder.met('an operation on a lost lock')
  const text = String(error)
  if (weather.twins && text.includes('independent servers')) return recorder.met('refused twins')
  recorder.violated('errors', `${where}: ${text}`)
}

export const holdOf = (
  { world, recorder, quorum, forgotten }: Scene,
  actor: Actor,
  lock: Lock,
): Hold => {
  const { process, holding } = actor
  const from = world.now()
  const { keys, value } = lock
  const hold: Hold = {
    process: process.name,
    keys,
    value,
    from,
    until: from + lock.expiresIn / process.rate,
  }
  world.trace.say(
    () =>
      `${process.name} holds ${keys.join()} (${value.slice(0, 8)}) until ${hold.until.toFixed(1)}`,
  )
  recorder.holds.push(hold)
  holding.set(hold, lock)
  forgotten.delete(value)
  checkGranted(recorder, hold, quorum)
  if (!lock.held) recorder.violated('validity', `${process.name} is given a lock that is over`)
  return hold
}

export const askToken = async (scene: Scene, actor: Actor, lock: Lock): Promise<void> => {
  const { world, recorder, quorum, weather } = scene
  const { keys, value } = lock
  const begun = world.now()
  // Time for some rounds, with nothing going wrong: then there must be a token.
  const isSure = isTidy(weather) && weather.replyLost + weather.garbled === 0 && lock.expiresIn > 80
  const told = await lock.fence().catch((error: unknown) => {
    if (isSure) recorder.violated('confirmation', `no token in calm weather: ${String(error)}`)
    throw error
  })
  const token = {
    keys,
    value,
    token: told,
    lockAt: recorder.truth.firstSent.get(value)!,
    askedAt: begun,
    confirmedAt: world.now(),
  }
  if (!Number.isSafeInteger(told)) recorder.violated('confirmation', `${told} is no safe integer`)
  recorder.met(world.now() === begun ? 'a token without a request' : 'a token by another round')
  world.trace.say(() => `${actor.process.name} has the token ${told}`)
  recorder.tokens.push(token)
  checkConfirmed(recorder, token, quorum)
}

export const extend = async (scene: Scene, lock: Lock, hold: Hold): Promise<void> => {
  const { world, recorder, longest } = scene
  const begun = world.now()
  await lock.extend(world.random.chance(0.5) ? longest : undefined)
  checkExtended(recorder, hold, begun, scene.quorum)
  if (hasSafeData(scene.weather)) checkContinuity(recorder, hold, begun)
}

/** What is done while a lock is held. */
export const useLock = async (
  scene: Scene,
  actor: Actor,
  lock: Lock,
  hold: Hold,
): Promise<void> => {
  const { world, options } = scene
  const { random } = world
  if (random.chance(0.4)) watchSignal(scene, actor, lock, hold)
  for (let step = random.whole(0, 3); step > 0; step--) {
    const doing = random.unit()
    try {
      if (doing < 0.3) await extend(scene, lock, hold)
      else if (doing < 0.75) await askToken(scene, actor, lock)
      else if (doing < 0.85) await lock.ttl()
      else await lock.reenter().release()
    } catch (error) {
      expected(scene, 'a held lock', error)
    }
    spoilData(scene)
    await actor.process.rest(random.between(0, random.chance(0.2) ? 1.2 : 0.4) * options.ttl)
  }
  // To the very end: then it shows whether another was let in too early.
  if (random.chance(0.3)) await actor.process.rest(hold.until - world.now())
}

export const giveBack = async (
  { world, recorder, forgotten }: Scene,
  actor: Actor,
  lock: Lock,
  hold: Hold,
): Promise<void> => {
  actor.holding.delete(hold)
  if (world.random.chance(0.08)) {
    hold.until = Math.min(hold.until, world.now())
    forgotten.add(lock.value)
    actor.leavesTimers = true
    // Nothing of it may go on by itself: no timer is left where nobody looks at the signal.
    return
  }
  hold.until = Math.min(hold.until, world.now())
  try {
    recorder.met(`released: ${await lock.release()}`)
    if (world.random.chance(0.2)) await lock.release()
  } catch (error) {
    recorder.violated('errors', `release rejects: ${String(error)}`)
  }
}
