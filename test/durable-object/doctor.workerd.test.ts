import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { check, diagnose } from '../../src/entries/doctor.ts'
import { durableObjectNodes, type RedlockNamespace } from '../../src/entries/durable-object.ts'
import { type LockNode, Redlock, type RestNodeOptions } from '../../src/index.ts'

const namespace = env.REDLOCK as RedlockNamespace
const objects = durableObjectNodes(namespace, { name: 'doctor' })

const findings = async (nodes: readonly (LockNode | RestNodeOptions)[]) => {
  const report = await check(new Redlock({ nodes, warnings: false, nodeTimeout: 10_000 }))
  return { report, found: diagnose(report) }
}

it('objects are well, and share a platform', async () => {
  const { report, found } = await findings(objects)
  for (const { error, server } of report.nodes) {
    expect(error).toBeUndefined()
    expect(server).toMatchObject({
      info: { redis_version: 'durable-object', role: 'master' },
      rejected: { write: '', time: '', info: '' },
    })
  }
  expect(report.lock).toMatchObject({ released: 'released' })
  expect(found.map(({ code, level }) => [code, level])).toEqual([['one-platform', 'hint']])
})

it('a Redis server among them is another platform', async () => {
  const [redis] = JSON.parse(String(env.REDLOCK_NODES)) as [RestNodeOptions]
  const { found } = await findings([...objects.slice(0, 2), redis])
  expect(found.map(({ code }) => code)).not.toContain('one-platform')
})

it('one object under two names is one vote', async () => {
  const [first, second] = objects as [LockNode, LockNode]
  const { found } = await findings([first, { ...first, name: 'again' }, second])
  expect(found.find(({ code }) => code === 'same-database')?.nodes).toEqual(['again', first.name])
})

it.each([
  ['another class', 'OTHER'],
  ['a class without SQLite storage', 'WITHOUT_SQLITE'],
])('a binding that leads to %s is named', async (_, binding) => {
  const wrong = durableObjectNodes(env[binding] as RedlockNamespace)
  const { found } = await findings(wrong)
  expect(found[0]).toMatchObject({ code: 'binding', level: 'problem' })
  expect(found[0]?.nodes).toHaveLength(3)
})

/** The node as a later version of the package sees it, whose scripts the object does not know. */
const asLaterVersion = (node: LockNode): LockNode => ({
  ...node,
  run: (command, options) => node.run({ ...command, op: 'later' } as never, options),
})

it('an object of another version is named', async () => {
  const { found } = await findings(objects.map(asLaterVersion))
  expect(found[0]).toMatchObject({ code: 'binding', level: 'problem' })
  expect(found[0]?.message).toContain('another version')
})
