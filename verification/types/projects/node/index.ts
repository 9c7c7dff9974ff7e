import {
  fromEnv,
  isLockedError,
  type Lock,
  type LockEvent,
  Redlock,
  type RedlockOptions,
} from 'edge-redlock'
import { withLock } from 'edge-redlock/fetch'
import { memoryNodes } from 'edge-redlock/testing'

const onEvent = (event: LockEvent): void => {
  if (event.type === 'node-error') console.log(event.error?.message)
}
const options: RedlockOptions = { nodes: memoryNodes(3), onEvent }
export const redlock = new Redlock(options)
export const fromProcess = fromEnv(process.env, { ttl: 5_000 })
export const fromDefault = fromEnv()
// @ts-expect-error -- the variables are an object
fromEnv('REDLOCK_NODES')
// @ts-expect-error -- a misspelled option
fromEnv(process.env, { tll: 5_000 })
// @ts-expect-error
export const misspelt = new Redlock({ nodes: memoryNodes(3), tll: 5_000 })

export const count: number = await redlock.using('report', async () => 7)
export const text: string = await redlock.using('report', { ttl: 5_000 }, (lock) => lock.metadata)
await redlock.using('report', async (lock) => {
  // @ts-expect-error -- the lock is not an any
  lock.nonsense()
  await lock.extend()
})
// @ts-expect-error -- options without a routine
await redlock.using('report', { ttl: 5_000 })
// @ts-expect-error -- a number of ms is not an options object
await redlock.acquire(['k'], 5_000)
// @ts-expect-error -- a misspelled option
await redlock.acquire('k', { tll: 5_000 })
// @ts-expect-error -- `tryAcquire` never waits
await redlock.tryAcquire('k', { wait: 5_000 })

const hold = async (lock: Lock): Promise<void> => {
  await using inner = lock.reenter()
  // @ts-expect-error
  inner.nonsense()
}
try {
  await hold(await redlock.acquire('report'))
} catch (error) {
  if (isLockedError(error)) console.log(error.retryAfter.toFixed(), error.metadata?.length)
}

type Event = { readonly path: string }
type LambdaContext = { readonly getRemainingTimeInMillis: () => number }
type Result = { readonly statusCode: number }

export const handler = withLock(
  { redlock, key: (event: Event) => event.path },
  async (event: Event, context: LambdaContext): Promise<Result> => ({
    statusCode: event.path && context.getRemainingTimeInMillis() > 0 ? 200 : 503,
  }),
)
export const result: Result = await handler({ path: '/' }, { getRemainingTimeInMillis: () => 1 })
// @ts-expect-error -- the handler needs its context
await handler({ path: '/' })
