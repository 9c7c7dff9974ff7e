import {
  isLockedError,
  isLockLostError,
  type RedlockOptions,
  withSlots,
  withWakeUp,
} from '../../../src/index.ts'
import { memoryGuard } from '../../../src/entries/guards.ts'
import { claim, recordClient } from '../../../src/core/claim/claim.ts'
import type { Message } from '../recording.ts'
import { nameClient } from './words.ts'
import type { VirtualClient, World } from './world.ts'

/** What a client does. All times are in ms. */
type Plan = {
  /** When it begins. */
  readonly at?: number
  readonly wait?: number
  readonly limit?: number
  /** How long it works while it holds the lock. */
  readonly work?: number
  readonly options?: Partial<RedlockOptions>
  readonly isWoken?: boolean
  /** What happens to its process while it works. */
  readonly fate?: (client: VirtualClient) => void
  /** Where it writes when it has worked. */
  readonly write?: ReturnType<typeof makeStore>
}

const key = 'report'
const usualWork = 40
// Ms of one way between a client and the store.
const storeWay = 9

/** A client gets the lock, works, and releases it. */
export const visit = async (world: World, plan: Plan = {}): Promise<void> => {
  const { at = 0, wait = 0, limit, work = usualWork, options = {}, isWoken, fate, write } = plan
  const { notes } = world
  const client = world.startClient(options)
  const { process, redlock } = client
  const own = limit ? withSlots(redlock) : isWoken ? withWakeUp(redlock) : redlock
  await process.sleep(at)
  notes.state(client.client, 'asks')
  const call = limit ? { wait, limit } : { wait }
  try {
    await own.using(key, call, async (lock) => {
      const token = write && (await lock.fencingToken())
      await process.sleep(work / 2)
      fate?.(client)
      await process.sleep(work / 2)
      if (token) await write(client, token)
      if (lock.held) notes.state(client.client, 'done')
    })
  } catch (error) {
    // The library has told so by an event.
    if (!isLockedError(error) && !isLockLostError(error)) throw error
  }
}

/** A store that takes no write whose fencing token is lower than one before. */
export const makeStore = ({ notes, loop, store }: World) => {
  const guard = memoryGuard()
  return async ({ client, process }: VirtualClient, token: number): Promise<void> => {
    const message: Message = { client, to: store, answer: 'none', sent: loop.now() }
    notes.messages.push(message)
    const who = nameClient(client)
    notes.say(`${who} writes to the store with the token ${token.toLocaleString('en')}`)
    await process.sleep(storeWay)
    message.there = loop.now()
    message.answer = await guard.advance(key, token).then(
      () => 'granted',
      () => 'rejected',
    )
    const how = message.answer === 'granted' ? 'accepts' : 'has seen a higher token, and rejects'
    notes.say(`the store ${how} the write of ${who}`)
    await process.sleep(storeWay)
    message.back = loop.now()
  }
}

/** A client sends an idempotent request: it is processed, or gets the answer of another one. */
export const sendRequest = async (world: World, at: number): Promise<void> => {
  const { notes, startClient } = world
  const { client, process, redlock } = startClient({})
  const request = { key, fingerprint: 'payload', ttl: 2_000, waitUntil: undefined }
  const records = recordClient(redlock.client())
  await process.sleep(at)
  notes.state(client, 'asks')
  const claimed = await claim({ ...request, client: records }, { wait: 3_000 })
  if (claimed.state === 'claimed') {
    await process.sleep(3 * usualWork)
    const { fingerprint } = request
    const content = `answer-of-c${client}-`
    const { state } = await claimed.claim.complete({ fingerprint, content, ttl: 60_000 })
    notes.say(`${nameClient(client)} has ${state} its answer on a majority`)
  } else notes.say(`${nameClient(client)} gets the answer that is ${claimed.state}`)
  notes.state(client, 'answered')
}
