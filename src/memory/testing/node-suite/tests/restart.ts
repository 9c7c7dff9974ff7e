import type { LockNode } from '../../../../protocol/node.ts'
import type { AboutKeys, Command } from '../../../../protocol/command.ts'
import type { Granted, Reply } from '../../../../protocol/reply.ts'
import type { Bench } from '../bench.ts'
import { acceptOf, acquireOf, inspectOf, longTtl, recordText, releaseOf } from '../commands.ts'
import type { Feature } from '../features.ts'

/** Restarts the store. @returns a node on the restarted store. */
export type Restart = () => LockNode | Promise<LockNode>

/** A command whose reply after the restart shows whether a write from before the restart was preserved. */
type Memory = {
  readonly of: string
  readonly ask: Command
  readonly isRight: (reply: Reply) => boolean
}

const writesUnderWay = 20

const granted = async (bench: Bench, command: Command): Promise<number> => {
  const reply = await bench.run(command)
  if (reply.status !== 'granted') return bench.fail('a free key was not granted', [command, reply])
  return reply.counter
}

/** Writes one key of each kind, and waits for all replies. */
const writeAll = async (bench: Bench, features: readonly Feature[]): Promise<Memory[]> => {
  const high = { ttl: longTtl, minCounter: bench.now() + 4_000 }
  const low = { ttl: longTtl, minCounter: bench.now() - 4_000 }
  const [held, gone] = [bench.about(['held'], 'held'), bench.about(['gone'], 'gone')]
  const counter = await granted(bench, acquireOf(held, high))
  const lastCounter = await granted(bench, acquireOf(gone, high))
  await bench.run(releaseOf(gone))
  const memories: Memory[] = [
    {
      of: 'lock',
      ask: acquireOf(bench.about(['held'], 'bob'), low),
      isRight: ({ status }) => status === 'locked',
    },
    {
      of: 'fence of a lock that is held',
      ask: inspectOf(held),
      isRight: (reply) => reply.status === 'held' && reply.counter === counter,
    },
    {
      of: 'tombstone',
      ask: acquireOf(gone, high),
      isRight: ({ status }) => status === 'absent',
    },
    {
      of: 'fence of a lock that was released',
      ask: acquireOf(bench.about(['gone'], 'bob'), low),
      isRight: (reply) => reply.status === 'granted' && reply.counter > lastCounter,
    },
  ]
  if (features.includes('records')) memories.push(await writeRecord(bench))
  return memories
}

const writeRecord = async (bench: Bench): Promise<Memory> => {
  const terms = { ttl: longTtl, minCounter: bench.now() }
  const claim = bench.about(['record'], 'claim')
  const token = await granted(bench, { op: 'prepare', ...claim, ...terms })
  const record = recordText(claim, token)
  await bench.run(acceptOf(claim, token))
  const prepare = { op: 'prepare', ...bench.about(['record'], 'bob'), ...terms } as const
  return {
    of: 'record',
    ask: prepare,
    isRight: (reply) => reply.status === 'locked' && `${reply.holder} ${reply.metadata}` === record,
  }
}

/** Sends commands that are in flight while the store restarts. Some of them may have no reply. */
const writeMore = (
  bench: Bench,
): { readonly about: AboutKeys; readonly reply: Promise<unknown> }[] =>
  Array.from({ length: writesUnderWay }, (_, index) => {
    const about = bench.about([`late-${index}`], 'late')
    const command = acquireOf(about, { ttl: longTtl, minCounter: bench.now() })
    return { about, reply: bench.attempt(command).catch((error: unknown) => error) }
  })

/** Tests that a restart preserves every acknowledged write. */
export const testRestart = async (
  bench: Bench,
  restart: Restart,
  features: readonly Feature[],
): Promise<void> => {
  const memories = await writeAll(bench, features)
  const underWay = writeMore(bench)
  // At least one of them has a reply before the restart begins.
  await Promise.race(underWay.map(({ reply }) => reply))
  const node = await restart()
  for (const { of, ask, isRight } of memories) {
    const reply = await bench.run(ask, { node })
    if (!isRight(reply)) bench.fail(`the restart lost the ${of}`, [ask, reply])
  }
  for (const { about, reply } of underWay) {
    const before = (await reply) as Granted
    if (before.status !== 'granted') continue
    const after = await bench.run(inspectOf(about), { node })
    if (after.status !== 'held')
      bench.fail('the restart lost a lock that was granted while it began', [about, before, after])
  }
}
