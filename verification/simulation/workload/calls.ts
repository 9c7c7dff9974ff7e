import type { Lock } from '../../../src/index.ts'
import { checkTidy } from '../checks/recovery-checks.ts'
import { expected, giveBack, holdOf, useLock } from './operations.ts'
import { type Actor, checkSecrets, type Scene, startActor } from './simulated-client.ts'

// The calls that clients make, from the first request to the last.

const ownError = new Error('the work itself failed')

/** A signal that aborts at a random moment, for some of the calls. */
const drawSignal = ({ world, options }: Scene, { process }: Actor): AbortSignal | undefined => {
  if (!world.random.chance(0.12)) return undefined
  const controller = new AbortController()
  world.after(world.random.between(0, options.ttl / 2), () =>
    process.enter(() => controller.abort(new Error('no longer wanted'))),
  )
  return controller.signal
}

/** Hands the lock to another process, which carries on with it. */
const handOn = async (scene: Scene, from: Actor, lock: Lock, to: Actor): Promise<void> => {
  const { recorder } = scene
  recorder.met('an adopted lock')
  recorder.begin(to.process.name)
  const text = JSON.stringify(lock)
  const waitUntil = (work: Promise<unknown>): void => void to.pending.push(work)
  // From now on its first holder leaves it alone.
  from.leavesTimers = true
  for (const hold of from.holding.keys()) {
    if (hold.value !== lock.value) continue
    hold.until = Math.min(hold.until, scene.world.now())
    from.holding.delete(hold)
  }
  scene.handedOn.add(lock.value)
  await to.process.rest(scene.world.random.between(0, 10))
  const adopted = to.redlock.adopt(text, { waitUntil })
  try {
    const { random } = scene.world
    await adopted.extend(random.chance(0.4) ? random.whole(25, scene.options.ttl) : undefined)
    const hold = holdOf(scene, to, adopted)
    await useLock(scene, to, adopted, hold)
    await giveBack(scene, to, adopted, hold)
  } catch (error) {
    expected(scene, 'an adopted lock', error)
    await adopted.release()
  }
  await finish(scene, to)
  // What is under way has arrived by then.
  scene.world.after(14, () => scene.handedOn.delete(lock.value))
  checkTidy(scene, to.process.name, new Set([lock.value]))
}

/** Waits for all that goes on after the call: then the process is done. */
const finish = async (scene: Scene, actor: Actor): Promise<void> => {
  const { process, pending, holding } = actor
  while (pending.length > 0) await Promise.all(pending.splice(0))
  const values = scene.recorder.end(process.name)
  checkTidy(scene, process.name, values)
  const isIdle = values.size > 0 && holding.size === 0 && !actor.leavesTimers
  if (isIdle && process.timers() > 0) {
    scene.recorder.violated('timers', `${process.name} goes on after all it did is over`)
  }
}

const withLock = async (scene: Scene, actor: Actor, lock: Lock): Promise<void> => {
  const hold = holdOf(scene, actor, lock)
  const { random } = scene.world
  const others = scene.actors.filter((one) => one !== actor && one.process.isAlive())
  const other = others[0] && random.pick(others)
  if (other && random.chance(0.08)) {
    void handOn(scene, actor, lock, other)
    return
  }
  await useLock(scene, actor, lock, hold)
  await giveBack(scene, actor, lock, hold)
}

/** What all calls are given. */
type CallOptions = {
  readonly signal: AbortSignal | undefined
  readonly waitUntil: (work: Promise<unknown>) => void
  readonly metadata: string | undefined
}

/** Runs what a client does, with all that goes on after it. It never rejects. */
export const callAs = async (
  scene: Scene,
  actor: Actor,
  work: (options: CallOptions) => Promise<unknown>,
): Promise<void> => {
  const { world, recorder } = scene
  const signal = drawSignal(scene, actor)
  recorder.begin(actor.process.name)
  try {
    await work({
      signal,
      waitUntil: (work) => void actor.pending.push(work),
      metadata: world.random.chance(0.2) ? 'a note' : undefined,
    })
  } catch (error) {
    if (error !== ownError) expected(scene, 'a call', error, signal)
  }
  await finish(scene, actor)
}

/** One call of some kind, and what follows from it. */
export const call = async (scene: Scene, actor: Actor): Promise<void> => {
  const { world, recorder, keys, options, longest } = scene
  const { random } = world
  const { redlock, process } = actor
  const key = random.chance(0.2) ? [...keys] : random.pick(keys)
  const ttl = random.chance(0.3) ? random.whole(Math.min(30, longest), longest) : undefined
  const wait = random.chance(0.5) ? random.between(0, 2 * options.ttl) : undefined
  const kind = random.unit()
  await callAs(scene, actor, async (common) => {
    const { signal, waitUntil } = common
    if (kind < 0.45) {
      const result = await redlock.tryAcquire(key, { ttl, ...common })
      checkSecrets(scene, 'a result', result.ok ? undefined : result)
      if (result.ok) await withLock(scene, actor, result.lock)
      else recorder.met(result.reason)
    } else if (kind < 0.7) {
      // Some come the moment that a quorum can come free.
      const retry = (_: number, { retryAfter }: { retryAfter: number }): number =>
        random.chance(0.7) ? Math.min(retryAfter, options.ttl) : random.between(1, 20)
      const most = wait ?? 2 * options.ttl
      const eager = random.chance(0.6) ? { retry, wait: most } : { wait }
      const lock = await redlock.acquire(key, { ttl, ...eager, ...common })
      await withLock(scene, actor, lock)
    } else if (kind < 0.83) {
      await redlock.using(key, { ttl, wait, ...common, maxHold: 4 * longest }, async (lock) => {
        const hold = holdOf(scene, actor, lock)
        try {
          await useLock(scene, actor, lock, hold)
          if (random.chance(0.2)) throw ownError
        } finally {
          hold.until = Math.min(hold.until, world.now())
          actor.holding.delete(hold)
        }
      })
    } else if (kind < 0.95) {
      const window = random.whole(Math.min(30, longest), longest)
      const name = random.pick(keys)
      const result = await redlock.throttle(name, { window, signal, waitUntil })
      checkSecrets(scene, 'a result', result)
      if (result.ok) {
        recorder.met('a throttle passed')
        const askedAt = recorder.truth.lastAsked.get(`${process.name} lock:t:${name}`)!
        recorder.passes.push({ key: name, window, askedAt, done: world.now() })
      } else recorder.met(`throttle: ${result.reason}`)
    } else checkSecrets(scene, 'an inspection', await redlock.inspect(key))
  })
}

/** A Worker: a process for one call. What was not handed to `waitUntil` is dropped at its end. */
export const callAsWorker = async (scene: Scene, name: string): Promise<void> => {
  const actor = startActor(scene, name)
  await call(scene, actor)
  actor.process.kill()
  scene.recorder.met('a worker evicted')
}
