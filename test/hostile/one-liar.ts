import { Hono } from 'hono'
import { idempotent } from '../../src/entries/idempotency.ts'
import {
  inspect,
  isLockedError,
  isLockLostError,
  isQuorumError,
  type LockNode,
  Redlock,
  throttle,
  ttlOf,
  withSlots,
  withWakeUp,
} from '../../src/index.ts'
import type { Reply } from '../../src/protocol/reply.ts'
import { memoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { type Random, randomFrom } from '../../tools/random.ts'

// One node of three lies, and knows what each script may reply: it swaps statuses, holders and numbers of
// replies that are valid for some script.

const statuses = [
  'granted',
  'held',
  'released',
  'accepted',
  'forgotten',
  'locked',
  'foreign',
  'absent',
  'abstains',
  'queued',
  'gone',
] as const

const textOf = (random: Random): string => {
  const token = random.pick(['1', `${Date.now()}`, `${2 ** 53}`])
  const content = random.pick(['', 'x', '{"status":200,"headers":[],"body":""}'])
  return random.pick([
    '',
    `c ${random.pick(['fp', ''])}`,
    `d ${token} fp ${content}`,
    `d ${token} ${content}`,
    '- - -',
    'abcdefgh - ijklmnop',
    'd',
    ' ',
  ])
}

const lie = (random: Random, reply: Reply): Reply => {
  const given = reply as unknown as Record<string, unknown>
  const numbers = [undefined, -1, 0, 1, 2, 100, 10_000, 2 ** 53, -5, 0.5, '7', null]
  const holders = ['-', 'abcdefgh', 'abcdefghi', '', 'TIME', 7, undefined]
  return {
    status: random.chance(0.3) ? reply.status : random.pick(statuses),
    ttl: random.chance(0.3) ? given['ttl'] : random.pick(numbers),
    counter: random.chance(0.5) ? given['counter'] : random.pick(numbers),
    holder: random.chance(0.3) ? given['holder'] : random.pick(holders),
    metadata: random.chance(0.3) ? given['metadata'] : textOf(random) || undefined,
    slot: random.chance(0.3) ? given['slot'] : random.pick(numbers),
    holders: random.chance(0.3)
      ? given['holders']
      : random.pick([undefined, [], [null], ['abcdefgh', null], 'x', 7, [7, {}], {}]),
    because: random.pick(['restarted', 'TIME', 'run_id', 'no', undefined]),
    wasForced: random.pick([true, undefined]),
    isFree: random.pick([true, false]),
    server: reply.server,
  } as unknown as Reply
}

/** A node that lies in most of its replies. */
const liar = (random: Random): LockNode => {
  const node = memoryNode({ name: random.pick(['a liar', 'm liar', 'z liar']) })
  return nodeThrough(node, async (_, send) => {
    const reply = await send()
    return random.chance(0.2) ? reply : lie(random, reply)
  })
}

/** The name of a rejection. @throws any other error, which is a defect of the library. */
const outcomeOf = (error: unknown): string => {
  if (isLockedError(error) || isQuorumError(error) || isLockLostError(error)) return error.name
  throw error
}

/** Makes so many calls beside a node that lies. @returns how often each outcome occurred. */
export const callBesideLiar = async (calls: number, seed: number): Promise<Map<string, number>> => {
  const random = randomFrom(seed)
  const outcomes = new Map<string, number>()
  const note = (outcome: string): void =>
    void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  for (let call = 0; call < calls;) {
    const nodes = [...memoryNodes(2), liar(random)]
    const redlock = new Redlock({ nodes, warnings: false, ttl: 1000 })
    const slots = withSlots(redlock)
    const waking = withWakeUp(redlock)
    const app = new Hono()
    app.post(
      '/',
      idempotent({ redlock, scope: () => 'user', wait: random.pick([0, 20]), ttl: 1000 }),
      (c) => c.json({ ok: true }, random.pick([200, 201, 500])),
    )
    app.onError((error) => {
      throw error
    })
    const key = random.pick(['one', 'two'])
    const send = async (): Promise<string> => {
      const headers = { 'idempotency-key': key }
      // A machine that stops for longer than the ttl makes a claim expire.
      const answer = Promise.resolve(app.request('/', { method: 'POST', body: 'x', headers }))
      return answer.then(({ status }) => `answer ${status}`, outcomeOf)
    }
    const once = { retry: { attempts: 1 } }
    const using = async (one: Redlock, limit?: number): Promise<string> => {
      const options = limit ? { ...once, limit } : once
      return one
        .using(key, options, async (lock) => {
          await lock.fencingToken().catch(outcomeOf)
          await lock.extend().catch(outcomeOf)
          await ttlOf(lock).catch(outcomeOf)
          return 'held'
        })
        .catch(outcomeOf)
    }
    const kinds: readonly (() => Promise<string>)[] = [
      send,
      () => using(redlock),
      () => using(slots, 3),
      () => using(waking),
      async () => `throttle ${(await throttle(redlock, key, { window: 1000 })).ok}`,
      async () => `inspect ${(await inspect(redlock, key)).state}`,
    ]
    const batch = Array.from({ length: 10 }, () => random.pick(kinds)())
    for (const outcome of await Promise.all(batch)) note(outcome)
    call += batch.length
  }
  return outcomes
}
