import {
  adopt,
  forceRelease,
  fromEnv,
  inspect,
  inspectSlots,
  Redlock,
  throttle,
  withSlots,
  withTracing,
} from '../../src/index.ts'
import { systemClock } from '../../src/util/clock.ts'
import { type Call, freshKey, nodes, redlock } from './call.ts'
import {
  boolean,
  callback,
  choice,
  delay,
  integer,
  number,
  required,
  shape,
  text,
  time,
  unchecked,
  type Values,
} from './values.ts'

// The options of a client and of its calls.

const node = { url: 'https://a.example', token: 't' }
const span = { setAttribute: () => {}, end: () => {} }
const tracer = { startActiveSpan: (_: string, run: (one: object) => unknown) => run(span) }

export const ttl = integer(25, undefined, 'an integer of milliseconds, up to `maxTtl`,')
export const strategy = choice('parallel', 'frugal')
export const limit = integer(1, 100)
const signal = shape('an AbortSignal', [new AbortController().signal], ['now', {}, true])
export const waiting = { wait: delay(), signal, waitUntil: callback() }
export const keepAlive = { maxHold: time(1), maxExtensions: number(0) }

const slotsOnly = shape('used with withSlots', [], [1, 100])

const delayFrom = (least: number): string => `a number of milliseconds from ${least} to Infinity`
const retry = shape('an object or function', [{}, () => false], ['never', true, []])

const aNode = 'an object { url, token }'
const nodeList: Values = {
  ...required(shape('an array of `{ url, token }`', [nodes], [{}, [], 'https://a.example'])),
  inner: [
    [[null], 'nodes[0]', aNode],
    [Object.assign([], { length: 3 }), 'nodes[0]', aNode],
    [['https://a.example'], 'nodes[0]', aNode],
    [[node, null], 'nodes[1]', aNode],
    [[node, { url: 'https://b.example' }], 'nodes[1].token', 'visible ASCII'],
    [[node, { ...node, url: 'https://a.example/' }], 'nodes', 'independent servers'],
  ],
}

const options = {
  ttl,
  maxTtl: {
    ...time(1),
    good: [10_000, 2 ** 47],
    inner: [[9_999, 'ttl', 'an integer of milliseconds, up to `maxTtl`, from 25 to 9999']],
  },
  nodeTimeout: time(1, 10_000),
  budget: number(6),
  strategy,
  retry,
  prefix: text(0),
  localQueue: boolean(),
  warnings: boolean(),
  onEvent: callback(),
  advanced: shape('an object', [{}], ['text', [], true]),
} satisfies Record<string, Values>

const advanced = {
  quorum: integer(2, 3),
  fenceTtl: time(11_000, 30 * 86_400_000),
  driftFactor: number(0, 0.5),
  concurrency: integer(1),
  clock: unchecked(systemClock),
  random: callback(() => 0.5),
}

const trial = {
  ttl,
  metadata: text(0),
  limit: slotsOnly,
  strategy,
  signal,
  waitUntil: callback(),
}
const acquiring = { ...trial, retry, wait: delay() }
const throttling = {
  window: required(ttl),
  limit: slotsOnly,
  wait: slotsOnly,
  strategy,
  signal,
  waitUntil: callback(),
}

/** A lock that works, or the error of the options. */
const lockWith = async (client: Redlock): Promise<void> => {
  const result = await client.tryAcquire(freshKey())
  if (result.ok) await result.lock.release()
}

const calls = 'tryAcquire, acquire, using, throttle'
const looking = 'inspect, inspectSlots, forceRelease'
const slots = withSlots(redlock)
const serialized = { keys: ['k'], value: freshKey(), ttl: 1_000, expiresAt: Date.now() + 1_000 }

export const clientCalls: readonly Call[] = [
  {
    name: 'Redlock',
    section: 'new Redlock, fromEnv',
    base: { nodes },
    options: { nodes: nodeList, ...options },
    act: (given) => lockWith(new Redlock(given)),
  },
  {
    name: 'fromEnv()',
    options: { ...options, budget: number(2) },
    act: (given) => fromEnv({ REDLOCK_NODES: [node] }, given),
  },
  {
    name: 'advanced',
    section: 'advanced',
    options: advanced,
    whole: '`advanced` must be an object',
    act: (given) => lockWith(new Redlock({ nodes, advanced: given })),
  },
  {
    name: 'retry',
    page: 'docs/reference/options.md',
    path: 'retry.',
    options: {
      attempts: number(1),
      delay: {
        ...unchecked(0, 230),
        inner: [-1, null, '30', Number.NaN].map((one) => [one, 'retry.delay', delayFrom(0)]),
      },
      // The default of `delay` is 30.
      maxDelay: {
        ...unchecked(30, Infinity),
        inner: [29, null, 'text', Number.NaN].map((one) => [one, 'retry.maxDelay', delayFrom(30)]),
      },
    },
    whole: '`retry` must be an object or function',
    act: (retry) => new Redlock({ nodes, retry }),
  },
  {
    name: 'tryAcquire()',
    section: calls,
    options: trial,
    act: async (given) => {
      const result = await redlock.tryAcquire(freshKey(), given)
      if (result.ok) await result.lock.release()
    },
  },
  {
    name: 'acquire()',
    section: calls,
    options: acquiring,
    act: async (given) => (await redlock.acquire(freshKey(), given)).release(),
  },
  {
    name: 'acquire()',
    section: calls,
    options: { ...acquiring, limit },
    act: async (given) => (await slots.acquire(freshKey(), given)).release(),
  },
  {
    name: 'using()',
    section: calls,
    options: { ...acquiring, ...keepAlive },
    act: (given) => redlock.using(freshKey(), given, () => {}),
  },
  {
    name: 'throttle()',
    section: calls,
    base: { window: 1_000 },
    options: throttling,
    act: (given) => throttle(redlock, freshKey(), given),
  },
  {
    name: 'throttle()',
    section: calls,
    base: { window: 1_000 },
    options: { ...throttling, limit, wait: delay() },
    act: (given) => throttle(slots, freshKey(), given),
  },
  {
    name: 'adopt()',
    options: { waitUntil: callback() },
    act: (given) => adopt(redlock, serialized, given),
  },
  {
    name: 'inspect()',
    section: looking,
    options: { kind: choice('lock', 'throttle', 'claim') },
    act: (given) => inspect(redlock, freshKey(), given),
  },
  {
    name: 'inspectSlots()',
    section: looking,
    base: { limit: 2 },
    options: { limit: required(limit), kind: choice('lock', 'throttle') },
    act: (given) => inspectSlots(redlock, freshKey(), given),
  },
  {
    name: 'forceRelease()',
    section: looking,
    options: {
      kind: choice('lock', 'throttle'),
      id: shape('the `id` of a lock: 8 characters', ['1f0c7a52'], ['short', 'too long!', 12345678]),
    },
    act: (given) => forceRelease(redlock, freshKey(), given),
  },
  {
    name: 'withTracing()',
    page: 'docs/guides/production.md',
    base: { tracer },
    options: {
      tracer: required(shape('a tracer of OpenTelemetry, or', [tracer], [{}, 'tracer'])),
      lockName: callback(),
    },
    act: (given) => withTracing(redlock, given),
  },
]
