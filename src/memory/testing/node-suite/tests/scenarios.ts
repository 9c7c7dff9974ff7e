import type { Command, Terms } from '../../../../protocol/command.ts'
import type { Bench } from '../bench.ts'
import { acceptOf, acquireOf, inspectOf, longTtl, releaseOf } from '../commands.ts'
import { comparison } from '../compare.ts'

// Short scenarios, whose replies are compared with the reference. Most scenarios run again with every command sent
// twice.

/** The commands of a scenario. */
export type Scenario = (bench: Bench) => readonly Command[]

/** The terms of a client whose clock matches the node's clock. */
export const termsOf = ({ now }: Bench): Terms => ({ ttl: longTtl, minCounter: now() })

/** Commands that acquire, extend and inspect one or two keys. Some of the commands are rejected. */
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
    // These two writes must not shorten the TTL.
    { op: 'extend', ...ada, ...terms, ttl: 1_000 },
    acquireOf(ada, { ...terms, ttl: 1_000 }),
    inspectOf(ada),
    { op: 'extend', ...bob, ...terms },
    // Nothing is acquired, because only one of these two keys is free.
    acquireOf(cyd, terms),
    inspectOf(free),
    acquireOf(free, terms),
  ]
}

/** Counters rise when a missing key is acquired, and never fall. */
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

/** A released key stays free, even if an earlier command by its owner arrives late. */
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
    // The release arrives before its acquire.
    releaseOf(late),
    acquireOf(late, terms),
    inspectOf(late),
    acquireOf(bob, terms),
    releaseOf(ada),
    inspectOf(bob),
    releaseOf(bob),
  ]
}

/** Commands on a key with foreign data are rejected, and the key remains unchanged. */
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
    // The key of the server ID never expires, so it does not count as a lock.
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

/** Any client can remove a given holder in a forced release. */
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

/**
 * Compares a scenario with the reference. @param repeats - How often each command is sent, for each run. Default: once
 * in the first run, twice in the second.
 */
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
