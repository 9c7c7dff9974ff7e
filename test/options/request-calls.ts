import { withLock, withThrottle } from '../../src/entries/fetch.ts'
import { fenced, memoryGuard } from '../../src/entries/guards.ts'
import { lock, throttle } from '../../src/entries/hono.ts'
import {
  bodyStore,
  canonicalJson,
  forget,
  idempotent,
  once,
  withIdempotency,
} from '../../src/entries/idempotency.ts'
import { type Call, freshKey, nodes, redlock, send } from './call.ts'
import { keepAlive, limit, strategy, ttl, waiting } from './client-calls.ts'
import {
  boolean,
  callback,
  choice,
  delay,
  integer,
  orFunction,
  required,
  shape,
  text,
  time,
  unchecked,
  type Values,
} from './values.ts'

// The options of middleware, of idempotent requests, and of `once`.

const shared = {
  redlock: required(
    shape(
      'a Redlock, or a function that returns one',
      [redlock, () => redlock],
      [{}, [], nodes, 'redlock'],
    ),
  ),
  onRejected: callback(),
  waitUntil: callback(),
}

const statuses = (reason: string): Values => ({
  ...unchecked({}, { [reason]: 400, unavailable: 599 }),
  inner: [
    ...[409, null, '409', []].map((one) => [one, 'statuses', 'an object'] as const),
    ...[200, 399, 600, 409.5, '409', null].map(
      (status) => [{ [reason]: status }, `statuses['${reason}']`, 'an integer from 400'] as const,
    ),
  ],
})

const oneKey = text(1)
const keys = [[], [''], [7], ['k', null], ['\ud800'], {}]
const keyed = {
  ...shared,
  key: required(
    orFunction({
      ...oneKey,
      good: [...oneKey.good, ['b', 'a', 'b']],
      bad: [...oneKey.bad, ...keys],
    }),
  ),
  limit,
  strategy,
  failOpen: boolean(),
}
const held = { ttl: time(25), wait: delay(), ...keepAlive }

const locking = {
  ...keyed,
  ...held,
  statuses: statuses('locked'),
  metadata: orFunction(text(0)),
  releaseAfter: choice('response', 'body'),
}
const throttling = {
  ...keyed,
  statuses: statuses('throttled'),
  window: required(time(25)),
  countIf: callback(),
}

const own = { put: send, get: send }
const store = bodyStore(own)
const bodies = shape('a store, such as kvStore(binding)', [store], [{}, 'KV', own])

const idempotency = {
  ...shared,
  ...held,
  statuses: statuses('in-flight'),
  scope: required(callback()),
  key: callback(),
  header: shape('a header name', ['x-id'], ['', 'a b', 'a:', []]),
  required: boolean(),
  recordTtl: integer(1_000),
  failures: choice('retry', 'replay'),
  shouldRecord: callback(),
  fingerprint: shape('a function or canonicalJson', [send, canonicalJson], ['sha', {}, 7, []]),
  maxPayload: integer(0),
  maxBody: {
    ...integer(0),
    good: [0, 32_768],
    inner: [[32_769, 'maxBody', 'at most 32768 without a `store`']],
  },
  headers: {
    ...shape('a list of header names', [[], ['etag']], ['etag', [7], ['a:'], {}]),
    inner: [[['ETag', 'Set-Cookie'], 'headers', 'a list of header names without set-cookie']],
  },
  store: orFunction(bodies),
} satisfies Record<string, Values>

const codec = { encode: () => new Uint8Array(1), decode: () => 7 }
const running = {
  ...waiting,
  // The claim checks it.
  waitUntil: {
    ...unchecked(() => undefined),
    inner: [null, 7, 'text', {}, true].map((one) => [one, 'waitUntil', 'a function']),
  },
  keepFor: required({
    ...time(1_000),
    good: [0, 1_000, 2 ** 47],
    expected: 'an integer of milliseconds from 1000, or 0',
  }),
  // The value has to be recorded while the lock is held.
  ttl: { ...ttl, good: [2 ** 47] },
  maxHold: { ...keepAlive.maxHold, good: [2 ** 47] },
  maxExtensions: keepAlive.maxExtensions,
  codec: {
    ...shape('an object', [codec], ['json', []]),
    inner: [
      [{ encode: codec.encode }, 'codec.decode', 'a function'],
      [{ decode: codec.decode }, 'codec.encode', 'a function'],
    ],
  },
  store: bodies,
  failures: choice('retry', 'replay'),
  redirect: callback(),
  failOpen: boolean(),
} satisfies Record<string, Values>

const guard = memoryGuard()
const both = 'given with a guard, and only then'

const section = 'lock(), throttle(), withLock(), withThrottle()'
const lockBase = { redlock, key: 'k' }
const throttleBase = { ...lockBase, window: 1_000 }
const scoped = { redlock, scope: () => 'user' }
const handler = (): Response => new Response()

export const requestCalls: readonly Call[] = [
  { name: 'lock()', section, base: lockBase, options: locking, act: lock },
  { name: 'throttle()', section, base: throttleBase, options: throttling, act: throttle },
  {
    name: 'withLock()',
    section,
    base: lockBase,
    options: locking,
    act: (given) => withLock(given, handler),
  },
  {
    name: 'withThrottle()',
    section,
    base: throttleBase,
    options: throttling,
    act: (given) => withThrottle(given, handler),
  },
  {
    name: 'idempotent()',
    page: 'docs/features/idempotent.md',
    base: scoped,
    options: idempotency,
    act: idempotent,
  },
  {
    name: 'withIdempotency()',
    base: scoped,
    options: idempotency,
    act: (given) => withIdempotency(given, handler),
  },
  {
    name: 'once()',
    page: 'docs/features/once.md',
    base: { keepFor: 1_000 },
    options: running,
    act: (given) => once(redlock, freshKey(), given, () => 7),
  },
  {
    name: 'forget()',
    page: 'docs/features/once.md',
    options: waiting,
    act: (given) => forget(redlock, freshKey(), given),
  },
  {
    name: 'fenced()',
    section: 'Guards and stores',
    base: { guard, resource: 'k' },
    options: {
      guard: {
        ...required(unchecked(guard)),
        bad: [],
        inner: [
          [undefined, 'resource', both],
          [null, 'resource', both],
          [{}, 'guard.advance', 'a function'],
          ['guard', 'guard.advance', 'a function'],
        ],
      },
      resource: {
        ...required(unchecked('k', () => 'k')),
        bad: [],
        inner: [undefined, null, ''].map((one) => [one, 'resource', both]),
      },
    },
    act: fenced,
  },
]
