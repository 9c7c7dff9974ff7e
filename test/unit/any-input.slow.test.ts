import fc from 'fast-check'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import * as functions from '../../src/entries/fetch.ts'
import { gateway } from '../../src/entries/gateway.ts'
import * as guards from '../../src/entries/guards.ts'
import * as middleware from '../../src/entries/hono.ts'
import * as core from '../../src/index.ts'
import * as testing from '../../src/entries/testing.ts'
import * as doctor from '../../src/entries/doctor.ts'

// With any arguments of a JavaScript program, a public function either works or fails with a
// message of its own, never with one of the runtime about a property that it could not read.

type Unchecked = (...args: unknown[]) => unknown

const nodes = testing.memoryNodes(3)
const redlock = new core.Redlock({ nodes, retry: { attempts: 1 } })
const send = async (): Promise<string[]> => ['done']
const asFunctions = (owner: object, ...names: string[]): Record<string, Unchecked> =>
  Object.fromEntries(
    names.map((name) => [
      name,
      (...args: unknown[]) => (owner as Record<string, Unchecked>)[name]!(...args),
    ]),
  )
const using = (method: string): Unchecked => {
  const call: Unchecked = async (...args) => {
    const held = await redlock.acquire(crypto.randomUUID())
    try {
      return await (held as unknown as Record<string, Unchecked>)[method]!(...args)
    } finally {
      await held.release()
    }
  }
  return call
}

/** Answers a request by middleware that was made with these options. */
const requestTo =
  (make: Unchecked): Unchecked =>
  async (options) => {
    const route = make(options) as ReturnType<typeof middleware.lock>
    const app = new Hono()
      .get('/', route, (c) => c.text(''))
      .onError((error) => {
        throw error
      })
    await app.request('/', {}, {})
  }

const targets: Readonly<Record<string, Unchecked>> = {
  Redlock: (options) => new core.Redlock(options as core.RedlockOptions),
  ...asFunctions(redlock, 'tryAcquire', 'acquire', 'using'),
  ...asFunctions(core, 'fromEnv', 'inspect', 'throttle', 'adopt'),
  'inspect of a Redlock': (key) => core.inspect(redlock, key as string),
  'throttle of a Redlock': (key, options) =>
    core.throttle(redlock, key as string, options as core.ThrottleOptions),
  'adopt of a Redlock': (lock) => core.adopt(redlock, lock as string),
  ...Object.fromEntries(['extend', 'release'].map((name) => [`lock.${name}`, using(name)])),
  restNode: (options) => core.restNode(options as core.RestNodeOptions),
  ...asFunctions(core, 'upstashNode', 'ioredisNode', 'nodeRedisNode', 'lockKey'),
  ...asFunctions(testing, 'memoryNode', 'memoryNodes'),
  ...asFunctions(doctor, 'diagnose'),
  ...asFunctions(core, 'withSlots', 'withWakeUp', 'withTracing', 'withKeyNames'),
  'withKeyNames of a Redlock': (name) => core.withKeyNames(redlock, name as () => string),
  ...asFunctions(core, 'isLockedError', 'isLockLostError', 'isQuorumError'),
  'lock()': requestTo(middleware.lock as Unchecked),
  'throttle()': requestTo(middleware.throttle as unknown as Unchecked),
  ...asFunctions(functions, 'withLock', 'withThrottle'),
  gateway: gateway as unknown as Unchecked,
  ...asFunctions(guards, 'fenced', 'fenceHeaders', 'isStaleTokenError', 'redisGuard', 'sqlGuard'),
  ...asFunctions(guards.memoryGuard(), 'advance'),
  'redisGuard.run': guards.redisGuard({ eval: send }).run as Unchecked,
  'sqlGuard.run': guards.sqlGuard({ dialect: 'sqlite' }).run as Unchecked,
}

const ours = /^((Expected |Unknown option )?`|edge-redlock)/

const anything = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withMap: true }),
  fc.constantFrom(undefined, null, '', 'k', 0, -1, Number.NaN, Infinity, Symbol('s'), []),
  fc.constant(() => undefined),
)
const names = `
  nodes ttl maxTtl wait retry signal waitUntil metadata window key redlock onRejected statuses countIf
  releaseAfter failOpen maxHold maxExtensions url token fetch volatile prefix
  name quorum strategy attempts delay maxDelay advanced random clock dialect table guard resource send warnings
  transaction subscribe maxBody allow eval evalsha keys value expiresAt`
  .trim()
  .split(/\s+/)
const fitting = fc.constantFrom<unknown>(redlock, nodes, 'k', 1_000, send, { window: 1_000 }, {})
const options = fc.dictionary(fc.constantFrom(...names), fc.oneof(anything, fitting), {
  maxKeys: 4,
})
const argument = fc.oneof(anything, options, fitting)

it.each(Object.entries(targets))('%s takes any input, or says what is wrong', async (_, target) => {
  await fc.assert(
    fc.asyncProperty(fc.array(argument, { maxLength: 4 }), async (args) => {
      try {
        await target(...args)
      } catch (error) {
        // Values that the caller has passed may be thrown, such as the reason of a signal.
        if (!(error instanceof Error)) return
        const { name, message } = error
        const isOurs = ours.test(message) || /^(Locked|Quorum|LockLost|StaleToken)Error$/.test(name)
        expect(isOurs ? '' : `${name}: ${message}`).toBe('')
      }
    }),
    { numRuns: 400 },
  )
})
