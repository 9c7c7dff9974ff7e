import type { Command, Terms } from '../../../../protocol/command.ts'
import type { Bench } from '../bench.ts'
import { acceptOf, acquireOf, inspectOf, longTtl, releaseOf } from '../commands.ts'
import { comparison } from '../compare.ts'

// Short scenarios whose replies are compared with the reference. A command may arrive twice.

/** The commands of a scenario. */
export type Scenario = (bench: Bench) => readonly Command[]

/** The terms of a client whose clock agrees with the node's clock. */
export const termsOf = ({ now }: Bench): Terms => ({ ttl: longTtl, minCounter: now() })

/** Commands that acquire, extend and inspect one or two keys, some of which are rejected. */
export const lockScenario: Scenario = (bench) => {
  const { about } = bench
  const terms = termsOf(bench)
  const ada = about(['a', 'b'], 'ada', { metadata: 'worker 3' })
  const [bob, cyd] = [about(['b'], 'bob'), about(['c', 'b'], 'cyd')]
  const free = about(['c'], 'dan')
  return [
    inspectOf(ada),
    acquireOf(ada, terms),
    acquireOf(ada, terms),
    inspectOf(ada),
    inspectOf(bob),
    acquireOf(bob, terms),
    { op: 'extend', ...ada, ...terms, ttl: 2 * longTtl },
    // A write never shortens a TTL.
    { op: 'extend', ...ada, ...terms, ttl: 1_000 },
    acquireOf(ada, { ...terms, ttl: 1_000 }),
    inspectOf(ada),
    { op: 'extend', ...bob, ...terms },
    // All keys or none: one of these two is free.
    acquireOf(cyd, terms),
    inspectOf(free),
    acquireOf(free, terms),
  ]
}

/** A counter rises when a missing key is acquired, and never falls. */
export const fences: Scenario = (bench) => {
  const { about } = bench
  const terms = termsOf(bench)
  const [ada, bob] = [about(['a'], 'ada'), about(['a'], 'bob')]
  const both = about(['b', 'a'], 'cyd')
  const high = { ...terms, minCounter: terms.minCounter + 3_000 }
  const low = { ...terms, minCounter: terms.minCounter - 3_000 }
  return [
    acquireOf(ada, high),
    { op: 'extend', ...ada, ...low },
    releaseOf(ada),
    acquireOf(bob, low),
    acquireOf(bob, low),
    releaseOf(bob),
    inspectOf(bob),
    acquireOf(both, low),
    inspectOf(both),
    { op: 'extend', ...both, ...terms, minCounter: high.minCounter + 1_000 },
    inspectOf(both),
  ]
}

/** A released key stays free, even if an older command of its owner arrives late. */
export const tombstones: Scenario = (bench) => {
  const { about } = bench
  const terms = termsOf(bench)
  const [ada, late, bob] = [about(['a'], 'ada'), about(['b'], 'late'), about(['a'], 'bob')]
  return [
    acquireOf(ada, terms),
    releaseOf(ada),
    acquireOf(ada, terms),
    { op: 'extend', ...ada, ...terms },
    inspectOf(bob),
    // The release overtakes its acquire.
    releaseOf(late),
    acquireOf(late, terms),
    inspectOf(late),
    acquireOf(bob, terms),
    releaseOf(ada),
    inspectOf(bob),
    releaseOf(bob),
  ]
}

/** A key with foreign data is rejected, and remains unchanged. */
export const foreignData: Scenario = (bench) => {
  const { about, identity } = bench
  const terms = termsOf(bench)
  const ada = about(['a'], 'ada')
  const foreign = { ...ada, owner: 'the data of another application', value: 'x' }
  const endless = { ...about(['b'], 'bob'), keys: [identity] }
  return [
    acquireOf(foreign, terms),
    acquireOf(ada, terms),
    { op: 'extend', ...ada, ...terms },
    inspectOf(ada),
    releaseOf(ada),
    inspectOf(foreign),
    // The ID of the server never expires, so it is not a lock.
    acquireOf(endless, terms),
    inspectOf(endless),
  ]
}

/** Each of three slots has one owner. */
export const slotScenario: Scenario = (bench) => {
  const { about } = bench
  const of = (owner: string, slot: number, isOnly = false): Command => ({
    op: 'acquire-slot',
    ...about(['a#1', 'a#2', 'a#3'], owner),
    ...termsOf(bench),
    slot,
    isOnly,
  })
  return [
    of('ada', 2),
    of('ada', 1),
    of('bob', 2),
    of('cyd', 3, true),
    of('cyd', 1, true),
    of('dan', 1),
    of('dan', 3, true),
    releaseOf(about(['a#1', 'a#2', 'a#3'], 'bob')),
    of('dan', 1),
    of('bob', 1),
  ]
}

/** A record replaces its claim, and only a record with a higher token can replace it. */
export const recordScenario: Scenario = (bench) => {
  const { about } = bench
  const begun = bench.now()
  const [ada, bob, cyd] = ['ada', 'bob', 'cyd'].map((owner) => about(['a'], owner))
  const prepare = (who: typeof ada, minCounter: number): Command => ({
    op: 'prepare',
    ...who!,
    ttl: longTtl,
    minCounter,
  })
  return [
    acceptOf(ada!, begun),
    prepare(ada, begun + 1_000),
    prepare(bob, begun + 2_000),
    acceptOf(bob!, begun + 2_000),
    acceptOf(ada!, begun + 1_000),
    acceptOf(ada!, begun + 1_000),
    inspectOf(ada!),
    prepare(bob, begun + 2_000),
    acceptOf(cyd!, begun + 500),
    acceptOf(cyd!, begun + 1_500),
    acceptOf(bob!, begun + 2_000),
    acceptOf(ada!, begun + 1_000),
    prepare(ada, begun),
    acquireOf(cyd!, { ttl: longTtl, minCounter: begun }),
    inspectOf(cyd!),
  ]
}

/** Any client may release a key of one holder by force. */
export const forcedRelease: Scenario = (bench) => {
  const { about } = bench
  const terms = termsOf(bench)
  const [ada, bob] = [about(['a'], 'ada'), about(['a'], 'bob')]
  const forget = (who: typeof ada): Command => ({
    op: 'forget',
    ...bob,
    holder: who.value.slice(0, 8),
    tombstoneTtl: longTtl,
  })
  return [
    forget(ada),
    acquireOf(ada, terms),
    forget(bob),
    inspectOf(ada),
    forget(ada),
    inspectOf(ada),
    { op: 'extend', ...ada, ...terms },
    acquireOf(bob, terms),
    forget(ada),
    inspectOf(bob),
  ]
}

/** Compares a scenario. @param repeats - How often each command arrives. Default: once, then twice in a new run. */
export const testScenario = async (
  bench: Bench,
  scenario: Scenario,
  repeats: readonly number[] = [1, 2],
): Promise<void> => {
  for (const times of repeats) {
    const fresh: Bench = {
      ...bench,
      about: (names, owner, more) =>
        bench.about(
          names.map((name) => `${times}:${name}`),
          `${owner}${times}`,
          more,
        ),
    }
    const compare = comparison(fresh)
    for (const command of scenario(fresh)) {
      for (let time = 0; time < times; time++) await compare(command)
    }
  }
}
