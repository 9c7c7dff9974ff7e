import { Hono } from 'hono'
import { idempotent } from '../../src/idempotency/index.ts'
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
import type { ReplyTuple } from '../../src/protocol/reply.ts'
import { memoryNode, memoryNodes } from '../../src/testing/index.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { type Random, randomFrom } from '../../tools/random.ts'

// One node of three lies, and knows what each script may reply: it swaps statuses, holders and numbers of
// replies that are valid for some script.

const statuses = ['granted', 'locked', 'absent', 'quarantined', 'unfit', 'gone'] as const

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

const lie = (random: Random, [echo, ...rest]: ReplyTuple): unknown => {
  const [status, left, holder, counter, identity] = rest
  const numbers = [-1, 0, 1, 2, 100, 10_000, 2 ** 53, -5, 0.5, counter, left]
  const name = random.pick(['h', 'h-', 'habcdefgh', 'habcdefghi', '', 'TIME', holder])
  const text = textOf(random)
  return [
    echo,
    random.chance(0.3) ? status : random.pick(statuses),
    random.chance(0.3) ? left : random.pick(numbers),
    random.pick([holder, text ? `${name} ${text}` : name]),
    random.chance(0.5) ? counter : random.pick(numbers),
    identity,
  ]
}

/** A node that lies in most of its replies. */
const liar = (random: Random): LockNode => {
  const node = memoryNode({ name: random.pick(['a liar', 'm liar', 'z liar']) })
  return nodeThrough(node, async (_, send) => {
    const reply = (await send()) as ReplyTuple
    return random.chance(0.2) ? reply : lie(random, reply)
  })
}

/** The name of a refusal. @throws any other error, which is a defect of the library. */
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
