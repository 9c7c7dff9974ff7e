import type { Random } from '../../../tools/random.ts'
import {
  extenderShare,
  keys,
  sleeperShare,
  slotKeys,
  slotTime,
  slotTurn,
  thinkTime,
  ttl,
  workTime,
} from '../campaign/settings.ts'
import type { Plan } from './operation.ts'

/**
 * Draws the operations of one client. Private keys alternate with keys for which others compete. A private key shows
 * how long an acquire takes without another holder.
 */
export const makePlans = (client: string, onlyGuarded: boolean, random: Random): (() => Plan) => {
  // The first keys are chosen most often.
  const shared = keys.filter(({ kind }) => kind === 'guarded' || !onlyGuarded)
  let turn = 0
  return () => {
    const op = `${client}#${++turn}`
    if (turn % 2 === 1) {
      return { op, key: `private-${client}`, kind: 'private', pause: 0, extends: false }
    }
    if (turn % slotTurn === 0) {
      const { name: key, limit } = random.pick(slotKeys)
      const pause = random.between(...slotTime)
      return { op, key, kind: 'slots', limit, pause, extends: random.chance(extenderShare) }
    }
    const { name: key, kind } = shared[Math.floor(shared.length * random.unit() ** 2)]!
    const isSleeper = random.chance(sleeperShare)
    const pause = isSleeper ? random.between(0.5 * ttl, 1.5 * ttl) : random.between(...workTime)
    return { op, key, kind, pause, extends: !isSleeper && random.chance(extenderShare) }
  }
}

/** Draws the time between two operations of a client, in ms. */
export const drawThinkTime = (random: Random): number => random.between(...thinkTime)
