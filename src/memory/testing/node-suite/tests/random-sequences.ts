import type { AboutKeys, Command } from '../../../../protocol/command.ts'
import type { Bench } from '../bench.ts'
import { acceptOf, acquireOf, inspectOf, longTtl, releaseOf } from '../commands.ts'
import { comparison } from '../compare.ts'
import type { Feature } from '../features.ts'

const commandsOfASequence = 12

/** Draws a command that belongs to a feature. */
const drawOf: Readonly<
  Record<Feature, (bench: Bench, about: AboutKeys, begun: number) => Command>
> = {
  slots: ({ random }, about, begun) => ({
    op: 'acquire-slot',
    ...about,
    keys: ['1', '2', '3'].map((slot) => about.keys[0]! + slot),
    fences: about.fences.length > 0 ? ['1', '2', '3'].map((slot) => about.fences[0]! + slot) : [],
    ttl: longTtl,
    minCounter: begun,
    slot: 1 + random.whole(2),
    isOnly: random.pick([true, false]),
  }),
  records: ({ random }, about, begun) => {
    const token = begun + random.whole(1_000)
    const claim = { ...about, keys: about.keys.slice(0, 1), fences: about.fences.slice(0, 1) }
    const promise: Command = { op: 'prepare', ...claim, ttl: longTtl, minCounter: token }
    return random.pick<Command>([promise, acceptOf(claim, token)])
  },
  force: (_, about) => ({
    op: 'forget',
    ...about,
    holder: about.value.slice(0, 8),
    tombstoneTtl: longTtl,
  }),
}

/** Draws a command by a random owner on one of two resources, or on both. */
const drawCommand = (
  bench: Bench,
  sequence: number,
  begun: number,
  features: readonly Feature[],
): Command => {
  const { pick, whole } = bench.random
  const names = pick([['one'], ['one'], ['two'], ['one', 'two']])
  const isThrottle = pick([false, false, false, true])
  const about = bench.about(
    names.map((name) => `${sequence}:${name}`),
    pick(['ada', 'bob', 'cyd']) + sequence,
    { isThrottle, metadata: pick([undefined, 'worker 3', 'c fingerprint']) },
  )
  const terms = { ttl: pick([longTtl, 2 * longTtl]), minCounter: begun + whole(1_000) }
  const feature = pick([undefined, undefined, ...features])
  // A record needs a fence, and throttles have none.
  if (feature && !(feature === 'records' && isThrottle)) return drawOf[feature](bench, about, begun)
  return pick<() => Command>([
    () => acquireOf(about, terms),
    () => acquireOf(about, terms),
    () => ({ op: 'extend', ...about, ...terms }),
    () => inspectOf(about),
    () => releaseOf(about),
  ])()
}

/** Compares random sequences of commands with the reference. Some commands are sent twice. */
export const testRandomSequences = async (
  bench: Bench,
  sequences: number,
  features: readonly Feature[],
): Promise<void> => {
  for (let sequence = 0; sequence < sequences; sequence++) {
    const compare = comparison(bench)
    const begun = bench.now()
    for (let turn = 0; turn < commandsOfASequence; turn++) {
      const command = drawCommand(bench, sequence, begun, features)
      await compare(command)
      if (bench.random.whole(3) === 0) await compare(command)
    }
  }
}
