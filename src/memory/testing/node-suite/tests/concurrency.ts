import type { LockNode } from '../../../../protocol/node.ts'
import type { Command } from '../../../../protocol/command.ts'
import type { Granted, Reply } from '../../../../protocol/reply.ts'
import type { Bench } from '../bench.ts'
import { acceptOf, acquireOf, inspectOf, longTtl, releaseOf } from '../commands.ts'
import type { Feature } from '../features.ts'
import { pause } from './expiry.ts'

// Tests in which many callers compete, over several connections to one store.

const callersPerNode = 3
const minCallers = 8
const bursts = 10
const grants = 40

/** The competing callers, each with a connection. */
type Crowd = {
  readonly bench: Bench
  readonly callers: readonly LockNode[]
  /** Returns the name of a new owner each time. */
  readonly owner: () => string
}

let owners = 0

const crowdOf = (bench: Bench, nodes: readonly LockNode[]): Crowd => {
  const length = Math.max(callersPerNode, Math.ceil(minCallers / nodes.length))
  return {
    bench,
    callers: nodes.flatMap((node) => Array.from({ length }, () => node)),
    owner: () => (++owners).toString(36),
  }
}

/** Sends one command from each caller simultaneously. */
const sendAtOnce = async (
  { bench, callers }: Crowd,
  commands: readonly Command[],
): Promise<Reply[]> =>
  Promise.all(commands.map((command, index) => bench.run(command, { node: callers[index]! })))

const isGranted = (reply: Reply): reply is Reply & Granted => reply.status === 'granted'

/** All callers request one free key. Exactly one must acquire it, with a higher counter than the previous winner. */
const testBursts = async (crowd: Crowd): Promise<void> => {
  const { bench, callers, owner } = crowd
  let last = 0
  for (let burst = 0; burst < bursts; burst++) {
    const abouts = callers.map(() => bench.about(['burst'], owner()))
    const terms = { ttl: longTtl, minCounter: bench.now() }
    const replies = await sendAtOnce(
      crowd,
      abouts.map((about) => acquireOf(about, terms)),
    )
    const winners = replies.filter(isGranted)
    if (winners.length !== 1)
      bench.fail(
        `${winners.length} of ${callers.length} simultaneous callers got a free key`,
        replies,
      )
    const { counter } = winners[0]!
    if (counter <= last) bench.fail(`the counter went from ${last} to ${counter}`, replies)
    last = counter
    const winner = abouts[replies.findIndex(isGranted)]!
    const freed = await bench.run(releaseOf(winner), { node: callers[burst % callers.length]! })
    if (freed.status !== 'released')
      bench.fail('the winner did not hold the key that it was granted', [freed])
  }
}

/** Records which keys are held, and the last counter of each key. */
type Ledger = {
  readonly enter: (keys: readonly string[], counter: number) => void
  readonly leave: (keys: readonly string[]) => void
}

const ledgerOf = (bench: Bench): Ledger => {
  const held = new Set<string>()
  const last = new Map<string, number>()
  return {
    enter: (keys, counter) => {
      for (const key of keys) {
        if (held.has(key)) bench.fail('two callers hold one key', [{ key, counter }])
        const before = last.get(key) ?? 0
        if (counter <= before)
          bench.fail(`the counter of a key went from ${before} to ${counter}`, [{ key }])
        held.add(key)
        last.set(key, counter)
      }
    },
    leave: (keys) => {
      for (const key of keys) held.delete(key)
    },
  }
}

/** Callers repeatedly acquire one or both of two keys, in either order. */
const testOrders = async ({ bench, callers, owner }: Crowd): Promise<void> => {
  const ledger = ledgerOf(bench)
  const choices = [['a', 'b'], ['b', 'a'], ['a'], ['b']]
  let left = grants
  const compete = async (node: LockNode): Promise<void> => {
    while (left > 0) {
      const about = bench.about(bench.random.pick(choices), owner())
      const command = acquireOf(about, { ttl: longTtl, minCounter: bench.now() })
      const reply = await bench.run(command, { node })
      if (reply.status !== 'granted') {
        await pause(bench.random.whole(4))
        continue
      }
      left--
      ledger.enter(about.keys, reply.counter)
      await pause(0)
      ledger.leave(about.keys)
      await bench.run(releaseOf(about), { node })
    }
  }
  await Promise.all(callers.map(compete))
}

/** Each caller must receive the reply to the command that it sent, although all commands run simultaneously. */
const testReplies = async (crowd: Crowd): Promise<void> => {
  const { bench, callers, owner } = crowd
  const abouts = callers.map((_, index) =>
    bench.about([`reply-${index}`], owner(), { metadata: `caller ${index}` }),
  )
  const terms = { ttl: longTtl, minCounter: bench.now() }
  await sendAtOnce(
    crowd,
    abouts.map((about) => acquireOf(about, terms)),
  )
  const replies = await sendAtOnce(
    crowd,
    abouts.map((about) => inspectOf({ ...about, owner: 'x', value: 'x' })),
  )
  for (const [index, reply] of replies.entries()) {
    const { metadata } = reply as { metadata?: string }
    if (metadata !== `caller ${index}`)
      bench.fail('a reply is not about the keys of its command', [abouts[index], reply])
  }
}

/** There are more callers than slots. Each slot must have exactly one owner. */
const testSlots = async (crowd: Crowd): Promise<void> => {
  const { bench, callers, owner } = crowd
  for (let burst = 0; burst < bursts; burst++) {
    const abouts = callers.map(() => bench.about(['slot#1', 'slot#2', 'slot#3'], owner()))
    const replies = await sendAtOnce(
      crowd,
      abouts.map((about, index) => ({
        op: 'acquire-slot',
        ...about,
        ttl: longTtl,
        minCounter: bench.now(),
        slot: 1 + (index % 3),
        isOnly: false,
      })),
    )
    const taken = replies.filter(isGranted).map(({ slot = 0 }) => slot)
    if (taken.sort((a, b) => a - b).join() !== '1,2,3')
      bench.fail(
        `simultaneous callers got the slots ${taken.join(', ')} instead of 1, 2 and 3`,
        replies,
      )
    await sendAtOnce(crowd, abouts.map(releaseOf))
  }
}

/** Several claims compete, and then several records. Exactly one of each must succeed. */
const testRecords = async (crowd: Crowd): Promise<void> => {
  const { bench, callers, owner } = crowd
  for (let burst = 0; burst < bursts; burst++) {
    const abouts = callers.map(() => bench.about([`record-${burst}`], owner()))
    const minCounter = bench.now()
    const claims = abouts.map(
      (about) => ({ op: 'prepare', ...about, ttl: longTtl, minCounter }) as const,
    )
    const promises = await sendAtOnce(crowd, claims)
    const winner = promises.findIndex(isGranted)
    if (promises.filter(isGranted).length !== 1)
      bench.fail(`${promises.filter(isGranted).length} simultaneous claims were granted`, promises)
    const token = (promises[winner] as Granted).counter
    const record = acceptOf(abouts[winner]!, token)
    const accepted = await bench.run(record)
    if (accepted.status !== 'accepted') bench.fail('a record was not accepted', [record, accepted])

    // Each of these commands raises the counter and returns the new number. If a number appears twice, an update was
    // lost.
    const others = abouts.map((_, index) => bench.about([`record-${burst}`], `${owner()}x${index}`))
    const raised = await sendAtOnce(
      crowd,
      others.map((about) => ({ op: 'prepare', ...about, ttl: longTtl, minCounter })),
    )
    const counters = raised.map((reply) => (reply as Granted).counter)
    if (new Set(counters).size < counters.length)
      bench.fail('two simultaneous promises raised the counter to the same number', raised)
    const replies = await sendAtOnce(
      crowd,
      others.map((about, index) => acceptOf(about, counters[index]!)),
    )
    const standing = counters.filter((_, index) => replies[index]!.status === 'accepted')
    if (standing.length !== 1 || standing[0] !== Math.max(...counters))
      bench.fail('a record was accepted although a higher token was promised', replies)
  }
}

/**
 * Tests that all nodes share one store: they return the same server ID, and each sees the writes of the other nodes.
 */
const testOneStore = async ({ bench, callers, owner }: Crowd): Promise<void> => {
  const about = bench.about(['shared'], owner())
  const command = acquireOf(about, { ttl: longTtl, minCounter: bench.now() })
  await bench.run(command, { node: callers[0]! })
  for (const node of callers) {
    const reply = await bench.run(inspectOf(about), { node })
    if (reply.status !== 'held')
      bench.fail('a connection does not see the writes of another one', [reply])
  }
}

/** The first callers of a store without an ID must all receive the same ID. */
const testIdentity = async ({ bench, callers, owner }: Crowd): Promise<void> => {
  const identity = `${bench.prefix}${owner()}:id`
  const terms = { ttl: longTtl, minCounter: bench.now() }
  const replies = await Promise.all(
    callers.map((node, index) =>
      bench.attempt(acquireOf({ ...bench.about([`id-${index}`], owner()), identity }, terms), {
        node,
      }),
    ),
  )
  for (const reply of replies)
    if (reply instanceof Error) bench.fail(`a command was rejected: ${reply.message}`)
  const ids = new Set(replies.map((reply) => (reply as Reply).server))
  if (ids.size > 1) bench.fail('the first callers of a new store got different IDs', replies)
}

/** Runs the tests with many callers on these connections. */
export const testConcurrency = async (
  bench: Bench,
  nodes: readonly LockNode[],
  features: readonly Feature[],
): Promise<void> => {
  const crowd = crowdOf(bench, nodes)
  await testOneStore(crowd)
  await testIdentity(crowd)
  await testBursts(crowd)
  await testReplies(crowd)
  await testOrders(crowd)
  if (features.includes('slots')) await testSlots(crowd)
  if (features.includes('records')) await testRecords(crowd)
}
