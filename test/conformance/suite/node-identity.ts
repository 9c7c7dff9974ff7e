import { describe, expect, it } from 'vitest'
import {
  inspect,
  isQuorumError,
  type LockEvent,
  type LockNode,
  type QuorumError,
  Redlock,
  type RedlockOptions,
  restNode,
  type RestNodeOptions,
  throttle,
  ttlOf,
} from '../../../src/index.ts'
import { type Fault, reject } from '../../support/faults.ts'
import { freshKey, renamed } from '../../support/nodes.ts'
import type { Setup } from './setup.ts'
import { eventually } from '../../support/eventually.ts'

/** A node whose url leads to another server when `target` does. */
const routed = (name: string, target: () => RestNodeOptions | LockNode): LockNode => ({
  name,
  resends: true,
  run: (...call) => {
    const node = target()
    return ('run' in node ? node : restNode(node)).run(...call)
  },
})

const nameOf = (node: RestNodeOptions | LockNode): string => ('run' in node ? node.name : node.url)

/** Nodes that turn out to be one server. */
export const nodeIdentityTests = ({
  name,
  connect,
  isFrugal,
  redlockWith,
  storedValues,
  expectNoneStored,
}: Setup): void => {
  const clientOf = (
    nodes: RedlockOptions['nodes'],
    options: Partial<RedlockOptions> = {},
  ): { client: Redlock; events: LockEvent[] } => {
    const events: LockEvent[] = []
    const onEvent = (event: LockEvent): void => void events.push(event)
    const strategy = isFrugal ? 'frugal' : 'parallel'
    const retry = { attempts: 1 }
    return { client: new Redlock({ nodes, strategy, retry, onEvent, ...options }), events }
  }
  const duplicatesIn = (events: readonly LockEvent[]): LockEvent[] =>
    events.filter(({ type }) => type === 'duplicate-node')

  describe(`${name}: node identity`, () => {
    it('counts two nodes of one server once, in every operation', async () => {
      const key = freshKey()
      let third: Fault | undefined
      const first = connect(0, undefined)
      const alias = renamed(first)
      const other = connect(1, (request, send) => (third ? third(request, send) : send()))
      const { client, events } = clientOf([first, alias, other])

      // Both servers are well: together they are a quorum.
      const lock = await client.acquire(key, { ttl: 60_000 })
      await lock.extend()
      expect(await lock.fencingToken()).toBeGreaterThan(0)
      expect(await ttlOf(lock)).toBeGreaterThan(30_000)
      expect(await inspect(client, key)).toMatchObject({ state: 'locked' })

      // One server alone is none, whatever it answers twice.
      third = reject
      await expect(lock.extend()).rejects.toSatisfy(isQuorumError)
      await expect(ttlOf(lock)).rejects.toSatisfy(isQuorumError)
      const inspection = await inspect(client, key)
      expect(inspection.state).toBe('unavailable')
      expect(inspection.nodes.map(({ status }) => status).sort()).toEqual([
        'duplicate',
        'error',
        'locked',
      ])
      const unseen = freshKey()
      expect(await client.tryAcquire(unseen)).toMatchObject({ reason: 'unavailable' })
      expect(await throttle(client, unseen, { window: 1000 })).toMatchObject({
        reason: 'unavailable',
      })
      expect(await lock.release()).toBe('unconfirmed')

      third = undefined
      const next = await client.acquire(freshKey())
      expect(await next.release()).toBe('released')
      expect(await throttle(client, freshKey(), { window: 1000 })).toMatchObject({ ok: true })
      await expectNoneStored(unseen)
      // Once for the pair.
      expect(duplicatesIn(events)).toHaveLength(1)
      const [event] = duplicatesIn(events) as { node: string; duplicateOf: string }[]
      expect([event!.node, event!.duplicateOf].sort()).toEqual(
        [nameOf(first), nameOf(alias)].sort(),
      )
    })

    it('is unavailable where all nodes are one server, and the error names them', async () => {
      const key = freshKey()
      const nodes = ['node a', 'node b', 'node c'].map((node) =>
        routed(node, () => connect(0, undefined)),
      )
      const { client, events } = clientOf(nodes)
      const error = await client.acquire(key).catch((reason: unknown) => reason)
      expect(isQuorumError(error)).toBe(true)
      const { message, nodes: reports } = error as QuorumError
      expect(message).toContain(`node b is the same server as node a`)
      // It was compared with node b if node a answered last.
      expect(message).toMatch(/node c is the same server as node [ab]/)
      expect(reports.map(({ status }) => status)).toEqual(['granted', 'duplicate', 'duplicate'])
      expect(JSON.stringify(reports)).not.toContain('"server"')
      await expectNoneStored(key)
      // Once for each pair that was seen, which depends on the order of the answers.
      expect([2, 3]).toContain(duplicatesIn(events).length)
    })

    it('is asked anew each time: notices a url that leads elsewhere, and one that is mended', async () => {
      let target = 1
      let third: Fault | undefined
      const nodes = [
        routed('node a', () => connect(0, undefined)),
        routed('node b', () => connect(target, undefined)),
        routed('node c', () => connect(2, third)),
      ]
      const { client, events } = clientOf(nodes)
      const key = freshKey()
      const lock = await client.acquire(key, { ttl: 60_000 })
      await eventually(async () =>
        expect((await storedValues(key)).filter(Boolean)).toHaveLength(3),
      )
      await lock.extend()

      target = 0
      third = reject
      await expect(lock.extend()).rejects.toSatisfy(isQuorumError)
      expect(await client.tryAcquire(freshKey())).toMatchObject({
        reason: 'unavailable',
        nodes: expect.toSatisfy((reports: readonly { status: string }[]) =>
          reports.some(({ status }) => status === 'duplicate'),
        ),
      })
      expect(duplicatesIn(events)).toMatchObject([{ node: 'node b', duplicateOf: 'node a' }])

      target = 1
      await lock.extend()
      expect(await client.tryAcquire(freshKey())).toMatchObject({ ok: true })
      expect(await lock.release()).toBe('released')
    })

    it('is requested with every operation, and costs no request', async () => {
      const key = freshKey()
      const asked: boolean[] = []
      const watch: Fault = ({ body }, send) => {
        asked.push(body.includes('"lock:id"'))
        return send()
      }
      const client = redlockWith([watch])
      await (await client.acquire(key)).release()
      asked.length = 0
      for (let turn = 0; turn < 3; turn++) await (await client.acquire(key)).release()
      expect(asked).toEqual(Array(6).fill(true))
    })
  })
}
