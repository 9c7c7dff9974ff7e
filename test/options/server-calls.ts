import { Redis as Ioredis } from 'ioredis'
import { createClient } from 'redis'
import { durableObjectNodes } from '../../src/durable-object/durable-object-nodes.ts'
import { gateway } from '../../src/entries/gateway.ts'
import { redisGuard, sqlGuard } from '../../src/entries/guards.ts'
import { d1Store, kvStore, r2Store } from '../../src/entries/idempotency.ts'
import {
  ioredisNode,
  type LockNode,
  nodeRedisNode,
  quarantine,
  Redlock,
  restNode,
  upstashNode,
} from '../../src/index.ts'
import { memoryNode, testNode } from '../../src/entries/testing.ts'
import { systemClock } from '../../src/util/clock.ts'
import { type Call, send } from './call.ts'
import {
  boolean,
  callback,
  choice,
  integer,
  number,
  required,
  shape,
  text,
  time,
  unchecked,
  type Values,
} from './values.ts'

// The options of what reaches a server: nodes, the gateway, guards, and stores.

/** The client checks what all nodes have. */
const clientWith = (node: LockNode): unknown => new Redlock({ nodes: [node], warnings: false })

const volatileKinds = [quarantine(), false]
const volatile = shape('quarantine() in code', volatileKinds, [true, 'yes', {}, quarantine])
// Null counts as left out.
const named = (expected: string): Values => ({ good: ['eu'], bad: [7, '', {}], expected })
const known = named('a string, unless the client has')

const wrongUrls = [
  'redis://a.example',
  'redis-12.example',
  'a.upstash.io',
  'https://user:pass@a.example',
  'https://a.example?_token=t',
  'https://a.example#t',
  '',
  {},
]
const rest = {
  url: required(
    shape('the http(s) URL of the REST API', ['http://a', 'https://a.example/redis/'], wrongUrls),
  ),
  token: required(shape('visible ASCII', ['t', '!~'], ['', 'a\r\nb', 'two words', 'tökén', {}])),
  fetch: shape('a function, or an object with one', [send, { fetch: send }], ['fetch', {}, true]),
} satisfies Record<string, Values>

const aGatewayToken = 'a non-empty string of letters, digits and -._~+/'
const bytes = 'a whole number of bytes above 0'
const { expected: _, ...whole } = time(1, Number.MAX_SAFE_INTEGER)
const serving = {
  token: required(
    shape(aGatewayToken, ['a', 'AZaz09-._~+/=='], ['', 'two words', 'tökén', 'a=b', ['a']]),
  ),
  send: required(callback()),
  transaction: required(callback()),
  subscribe: callback(),
  maxBody: { good: whole.good, bad: whole.bad, expected: bytes },
  allow: {
    ...shape(
      'an array of command names',
      [[], ['get', 'SET']],
      ['GET', ['GET', 7], ['SCRIPT LOAD']],
    ),
    inner: [
      [['get', 'multi'], 'allow', 'without MULTI, which a gateway never runs'],
      [['get', 'subscribe'], 'allow', 'without SUBSCRIBE, or add `subscribe`'],
    ],
  },
} satisfies Record<string, Values>

const identifier = 'an identifier of at most 40 letters, digits and _'
const names = ['a', 'x'.repeat(40)]
const wrongNames = ['', 'a; b', 'fences; DROP TABLE users', '1a', 'x'.repeat(41), {}]
const table = shape(identifier, names, wrongNames)
const excluded = 'a name other than that of the row in ON CONFLICT'

const prefix = { prefix: text(0) }
const own = { url: 'https://a.example', token: 't' }
const account = { client: { baseUrl: 'https://a.example' }, eval: send, evalsha: send }
const io = new Ioredis({ lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 })

/** A node that fails the first test that needs a reply. */
const silent = { name: 'silent', run: () => Promise.reject(new Error('silent')) }

/** The options are right if the test of the node has begun. @throws any other error. */
const unlessTested = (error: Error): void => {
  if (!error.message.startsWith('testNode, ')) throw error
}

export const serverCalls: readonly Call[] = [
  {
    name: 'node',
    section: 'Nodes',
    path: 'node.',
    base: own,
    options: { ...rest, name: unchecked(), volatile: unchecked() },
    whole: '`node` must be an object { url, token }',
    act: (given) => restNode(given),
  },
  {
    name: 'node',
    base: own,
    options: {
      url: { ...unchecked(), isRequired: true },
      token: { ...unchecked(), isRequired: true },
      fetch: unchecked(),
      name: {
        ...unchecked('x'),
        inner: [null, 7, '', {}, '\ud800'].map((one) => [one, 'name', '1 to 4096 well-formed']),
      },
      volatile,
    },
    whole: '`node` must be an object { url, token }',
    act: (given) => clientWith(restNode(given)),
  },
  {
    name: 'upstashNode()',
    section: 'Nodes',
    options: { name: known, volatile },
    act: (given) => clientWith(upstashNode(account, given)),
  },
  {
    name: 'ioredisNode()',
    section: 'Nodes',
    options: { name: known, volatile },
    act: (given) => clientWith(ioredisNode(io, given)),
  },
  {
    name: 'nodeRedisNode()',
    section: 'Nodes',
    options: { name: named('a string that'), volatile },
    act: (given) => clientWith(nodeRedisNode(createClient(), given)),
  },
  {
    name: 'durableObjectNodes()',
    section: 'durableObjectNodes()',
    options: {
      count: integer(1, 25),
      locations: shape('one for each node', [['weur', 'enam', 'apac'], ['me']], ['weur', {}, []]),
      name: text(1),
    },
    act: (given) => durableObjectNodes({ idFromName: String, get: Object }, given),
  },
  {
    name: 'quarantine()',
    section: 'Nodes',
    options: { withoutRunId: boolean() },
    act: quarantine,
  },
  {
    name: 'memoryNode()',
    section: 'memoryNode, memoryNodes',
    options: {
      now: unchecked(() => 0),
      clock: unchecked(systemClock),
      name: text(1),
      volatile,
      rejects: unchecked([]),
    },
    act: (given) => clientWith(memoryNode(given)),
  },
  {
    name: 'testNode()',
    section: 'testNode',
    options: {
      connect: callback(),
      connections: integer(1),
      restart: callback(),
      features: shape('an array', [[], ['slots', 'records', 'force']], ['slots', {}]),
      sequences: integer(1),
      seed: integer(0),
      timeout: number(1),
    },
    act: (given) => testNode(silent, given).catch(unlessTested),
  },
  {
    name: 'gateway()',
    page: 'docs/guides/gateway.md',
    base: { token: 'a', send, transaction: send },
    options: serving,
    whole: '`token` of gateway()',
    act: gateway,
  },
  {
    name: 'redisGuard()',
    section: 'Guards and stores',
    options: prefix,
    act: (given) => redisGuard({ eval: send }, given),
  },
  {
    name: 'sqlGuard()',
    section: 'Guards and stores',
    base: { dialect: 'sqlite' },
    options: {
      dialect: required(choice('sqlite', 'postgres')),
      table: {
        ...table,
        good: [...names, 'main.fences'],
        inner: ['excluded', 'Excluded', 'main.excluded'].map((name) => [name, 'table', excluded]),
      },
    },
    act: sqlGuard,
  },
  {
    name: 'kvStore()',
    section: 'Guards and stores',
    options: prefix,
    act: (given) => kvStore({ put: send, get: send }, given),
  },
  {
    name: 'r2Store()',
    section: 'Guards and stores',
    options: prefix,
    act: (given) => r2Store({ put: send, get: send }, given),
  },
  {
    name: 'd1Store()',
    section: 'Guards and stores',
    options: { table },
    act: (given) => d1Store({ prepare: () => null! }, given),
  },
]
