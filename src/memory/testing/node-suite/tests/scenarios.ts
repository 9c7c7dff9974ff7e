import type { Command, Terms } from '../../../../protocol/command.ts'
import type { Bench } from '../bench.ts'
import { accept, acquire, inspect, longTtl, release } from '../commands.ts'
import { comparison } from '../compare.ts'

// Short scenarios whose replies are compared with the reference. A command may arrive twice.

/** The commands of a scenario. */
export type Scenario = (bench: Bench) => readonly Command[]

/** The terms of a client whose clock agrees with the node's clock. */
export const termsOf = ({ now }: Bench): Terms => ({ ttl: longTtl, minCounter: now() })

/** Commands that acquire, extend and inspect one or two keys, some of which are rejected. */
export const locks: Scenario = (bench) => {
  const { about } = bench
  const terms = termsOf(bench)
  const ada = about(['a', 'b'], 'ada', { metadata: 'worker 3' })
  const [bob, cyd] = [about(['b'], 'bob'), about(['c', 'b'], 'cyd')]
  const free = about(['c'], 'dan')
  return [
    inspect(ada),
    acquire(ada, terms),
    acquire(ada, terms),
    inspect(ada),
    inspect(bob),
    acquire(bob, terms),
    { op: 'extend', ...ada, ...terms, ttl: 2 * longTtl },
    // A write never shortens a TTL.
    { op: 'extend', ...ada, ...terms, ttl: 1_000 },
    acquire(ada, { ...terms, ttl: 1_000 }),
    inspect(ada),
    { op: 'extend', ...bob, ...terms },
    // All keys or none: one of these two is free.
    acquire(cyd, terms),
    inspect(free),
    acquire(free, terms),
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
    acquire(ada, high),
    { op: 'extend', ...ada, ...low },
    release(ada),
    acquire(bob, low),
    acquire(bob, low),
    release(bob),
    inspect(bob),
    acquire(both, low),
    inspect(both),
    { op: 'extend', ...both, ...terms, minCounter: high.minCounter + 1_000 },
    inspect(both),
  ]
}

/** A released key stays free, even if an older command of its owner arrives late. */
export const tombstones: Scenario = (bench) => {
  const { about } = bench
  const terms = termsOf(bench)
  const [ada, late, bob] = [about(['a'], 'ada'), about(['b'], 'late'), about(['a'], 'bob')]
  return [
    acquire(ada, terms),
    release(ada),
    acquire(ada, terms),
    { op: 'extend', ...ada, ...terms },
    inspect(bob),
    // The release overtakes its acquire.
    release(late),
    acquire(late, terms),
    inspect(late),
    acquire(bob, terms),
    release(ada),
    inspect(bob),
    release(bob),
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
    acquire(foreign, terms),
    acquire(ada, terms),
    { op: 'extend', ...ada, ...terms },
    inspect(ada),
    release(ada),
    inspect(foreign),
    // The ID of the server never expires, so it is not a lock.
    acquire(endless, terms),
    inspect(endless),
  ]
}

/** Each of three slots has one owner. */
export const slots: Scenario = (bench) => {
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
    release(about(['a#1', 'a#2', 'a#3'], 'bob')),
    of('dan', 1),
    of('bob', 1),
  ]
}

/** A record replaces its claim, and only a record with a higher token can replace it. */
export const records: Scenario = (bench) => {
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
    accept(ada!, begun),
    prepare(ada, begun + 1_000),
    prepare(bob, begun + 2_000),
    accept(bob!, begun + 2_000),
    accept(ada!, begun + 1_000),
    accept(ada!, begun + 1_000),
    inspect(ada!),
    prepare(bob, begun + 2_000),
    accept(cyd!, begun + 500),
    accept(cyd!, begun + 1_500),
    accept(bob!, begun + 2_000),
    accept(ada!, begun + 1_000),
    prepare(ada, begun),
    acquire(cyd!, { ttl: longTtl, minCounter: begun }),
    inspect(cyd!),
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
    acquire(ada, terms),
    forget(bob),
    inspect(ada),
    forget(ada),
    inspect(ada),
    { op: 'extend', ...ada, ...terms },
    acquire(bob, terms),
    forget(ada),
    inspect(bob),
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
