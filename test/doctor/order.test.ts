import { expect, it } from 'vitest'
import { type Check, diagnose } from '../../src/entries/doctor.ts'

const facts = (info: object, write = '') => ({
  identity: crypto.randomUUID(),
  time: 0,
  info,
  rejected: { write, time: '', info: '' },
})
const asked = (node: string, info: object, write?: string) => ({
  node,
  volatile: false as const,
  latency: 1,
  server: facts(info, write),
})

it('names first what keeps a node from voting, and durability after that', () => {
  const check: Check = {
    nodes: [
      asked('forgets', { aof_enabled: '0' }),
      asked('evicts', { maxmemory_policy: 'allkeys-lru', maxmemory: '100', aof_enabled: '1' }),
      asked('full', { aof_enabled: '1' }, 'OOM command not allowed'),
      { node: 'gone', volatile: false, error: 'fetch failed: ECONNREFUSED' },
      { node: 'locked-out', volatile: false, error: 'WRONGPASS invalid password' },
    ],
    identityKey: 'lock:id',
    lock: { error: 'too few nodes', nodes: [] },
  }
  expect(diagnose(check).map(({ code }) => code)).toEqual([
    'unauthorized',
    'unreachable',
    'read-only',
    'no-lock',
    'eviction',
    'not-persistent',
    'fsync',
  ])
})
