import { describe, expect, it } from 'vitest'
import {
  applyCommand,
  type ApplyOptions,
  type Command,
  keysOf,
  type Row,
} from '../../src/entries/custom-node.ts'
import { check } from '../../src/entries/doctor.ts'
import { quarantine, Redlock } from '../../src/index.ts'
import { testNode } from '../../src/entries/testing.ts'
import { mapNode } from './map-node.ts'
import { type Rows, storeNode } from './store-node.ts'

const acquire: Command = {
  op: 'acquire',
  keys: ['l:b', 'l:a'],
  fences: ['f:b', 'f:a'],
  tombstone: 'x:v',
  identity: 'id',
  owner: 'v',
  value: 'v',
  fenceTtl: 11_000,
  ttl: 1_000,
  minCounter: 0,
}
const options: ApplyOptions = { now: Date.now(), serverId: 'id' }
const guard = { key: 'run', time: 11_000, withoutRunId: false }
const rowsWith = (row: unknown): Rows => new Map([['l:a', row as Row]])

it('an inspection changes nothing, although it meets rows that have expired', () => {
  const expired = { value: 'v', expiresAt: options.now - 1 }
  const rows = new Map(['l:a', 'f:a', 'x:v'].map((key) => [key, expired]))
  const known = rows.set('id', { value: 'id', expiresAt: Infinity })
  const { reply, changes } = applyCommand({ ...acquire, op: 'inspect' }, known, options)
  expect([reply.status, [...changes.keys()]]).toEqual(['absent', []])
})

describe('keysOf', () => {
  it('names each key once, in one order', () => {
    expect(keysOf(acquire, { guard })).toEqual(['f:a', 'f:b', 'id', 'l:a', 'l:b', 'run', 'x:v'])
  })
  it.each(['later', 'constructor', undefined])('rejects the command %s', (op) => {
    expect(() => keysOf({ ...acquire, op } as never)).toThrow('does not know this command')
  })
})

describe('applyCommand', () => {
  it.each(['later', 'constructor', undefined])('rejects the command %s', (op) => {
    const command = { ...acquire, op } as never
    expect(() => applyCommand(command, new Map(), options)).toThrow('does not know this command')
  })
  it.each<[string, unknown, unknown, string]>([
    ['rows', [], options, '`rows` must be a Map'],
    ['a row', rowsWith('text'), options, '`rows` must be a Map of { value, expiresAt }'],
    ['a value', rowsWith({ value: 1, expiresAt: 1 }), options, '`value` must be the text'],
    ['a time', rowsWith({ value: '', expiresAt: '1' }), options, '`expiresAt` must be'],
    ['options', new Map(), undefined, '`options` must be an object in applyCommand()'],
    ['now', new Map(), { serverId: 'id' }, '`now` must be the ms since 1970'],
    ['serverId', new Map(), { now: 1 }, '`serverId` must be the one that run() received'],
    ['run', new Map(), { ...options, run: 1 }, '`run` must be a text'],
    ['guard', new Map(), { ...options, guard }, 'A volatile node must pass `run`'],
  ])('names what is wrong with %s', (_, rows, given, message) => {
    expect(() => applyCommand(acquire, rows as never, given as never)).toThrow(message)
  })
  it('abstains when the run is another one, and votes again after the time of the guard', () => {
    const rows: Rows = new Map()
    const statusAt = (now: number, run: string): string => {
      const { reply, changes } = applyCommand(acquire, rows, { serverId: 'id', guard, now, run })
      for (const [key, row] of changes) if (row) rows.set(key, row)
      return reply.status
    }
    expect(statusAt(0.5, 'run 1:a')).toBe('abstains')
    expect(statusAt(11_000, 'run 1:a')).toBe('granted')
    expect(statusAt(11_000, 'run 2:a')).toBe('abstains')
  })
  it('does without a run id if the guard does', () => {
    const given = { ...options, guard: { ...guard, withoutRunId: true } }
    expect(applyCommand(acquire, new Map(), given).reply).toMatchObject({
      status: 'abstains',
      ttl: 11_000,
    })
  })
})

it('a client says why a volatile node without a run does not vote', async () => {
  const node = storeNode(new Map(), { volatile: quarantine() })
  const result = await new Redlock({ nodes: [node] }).tryAcquire('key')
  expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
  expect(JSON.stringify(result)).toContain('A volatile node must pass `run`')
})

it('the doctor checks a custom node', async () => {
  const { nodes, lock } = await check(new Redlock({ nodes: [mapNode('a')] }))
  expect(nodes[0]!.error).toBeUndefined()
  expect(lock.released).toBe('released')
})

describe('testNode', () => {
  it.each<[unknown, unknown, string]>([
    [{}, {}, '`node` must be a node with `run`'],
    [mapNode('a'), { another: 1 }, 'Unknown option `another` of testNode()'],
    [mapNode('a'), { connect: {} }, '`connect` must be a function'],
    [mapNode('a'), { features: ['locks'] }, '`features` must be'],
    [mapNode('a'), { sequences: 0 }, '`sequences` must be'],
    [mapNode('a'), { timeout: '1' }, '`timeout` must be'],
  ])('names a wrong argument (%#)', async (node, given, message) => {
    await expect(testNode(node as never, given as never)).rejects.toThrow(message)
  })
  it('repeats a failure with its seed, and shows the commands', async () => {
    const node = storeNode(new Map(), { reply: (reply) => ({ ...reply, counter: 7 }) as never })
    const failure = testNode(node, { seed: 5 })
    await expect(failure).rejects.toThrow(/^testNode, seed 5, clock: /)
  })
})
