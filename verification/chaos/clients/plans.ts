import type { Random } from '../../../tools/random.ts'
import { extenders, keys, sleepers, thinking, ttl, working } from '../campaign/settings.ts'
import type { Plan } from './operation.ts'

/**
 * What one client does, operation by operation: a lock that others want, and one of its own, in
 * turn. The latter tells how long it takes to acquire a lock, with no holder to wait for.
 */
export const makePlans = (client: string, onlyGuarded: boolean, random: Random): (() => Plan) => {
  // The first of them are wanted by many at a time.
  const wanted = keys.filter(({ kind }) => kind === 'guarded' || !onlyGuarded)
  let turn = 0
  return () => {
    const op = `${client}#${++turn}`
    if (turn % 2 === 1) {
      return { op, key: `private-${client}`, kind: 'private', pause: 0, extends: false }
    }
    const { name: key, kind } = wanted[Math.floor(wanted.length * random.unit() ** 2)]!
    const isSleeper = random.chance(sleepers)
    const pause = isSleeper ? random.between(0.5 * ttl, 1.5 * ttl) : random.between(...working)
    return { op, key, kind, pause, extends: !isSleeper && random.chance(extenders) }
  }
}

/** Ms between two operations of a client. */
export const thinkingTime = (random: Random): number => random.between(...thinking)
