import { expect, it } from 'vitest'
import { until } from '../../tools/cli/until.ts'
import type { Step } from '../../verification/history/records.ts'
import type { BurstPlan } from '../../verification/chaos/clients/bursts.ts'
import { contend } from '../../verification/chaos/clients/contend.ts'
import { makeStore } from '../../verification/chaos/clients/counter.ts'
import { makeRedlocks } from '../../verification/chaos/clients/redlocks.ts'
import { freshKey, holders, overRest } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'

const nodes = realNodes.map(({ url, token }) => ({
  url,
  token,
  isVolatile: false,
}))
const store = { url: nodes[0]!.url, token: nodes[0]!.token }
const redlocks = makeRedlocks({ nodes, store })

/** The steps of a client of a burst. */
const stepsOf = async (plan: Partial<BurstPlan> & Pick<BurstPlan, 'key'>): Promise<Step[]> => {
  const steps: Step[] = []
  const lease = { ttl: 4000, driftFactor: 0.01, strategy: 'parallel', hold: 2000 } as const
  await contend(
    { op: 'one.1/burst-0#1', client: 'one.1/burst-0', kind: 'burst', ...lease, ...plan },
    {
      redlocks,
      store: makeStore(store),
      say: (step) => steps.push(step),
      after: (ms) => ms(),
    },
  )
  return steps
}

it('Of the clients of a burst one keeps its lock alive, and the others are told who refused them', async () => {
  const key = freshKey()
  const all = await Promise.all([1, 2, 3].map(() => stepsOf({ key })))
  const isWinner = (steps: Step[]): boolean => steps.some(({ type }) => type === 'acquired')
  const [winner, ...rivals] = all.filter(isWinner)
  expect(rivals).toEqual([])
  if (!winner) throw new Error(`nobody won: ${JSON.stringify(all)}`)
  const types = winner.map(({ type }) => type)
  expect(types.slice(0, 4)).toEqual(['called', 'acquired', 'extending', 'extended'])
  expect(types.slice(-2)).toEqual(['releasing', 'released'])
  expect(winner.at(-1)).toMatchObject({ result: 'released' })
  for (const loser of all.filter((steps) => !isWinner(steps))) {
    expect(loser).toMatchObject([
      { type: 'called', validity: 3960 },
      { type: 'refused', reason: 'locked' },
    ])
    expect((loser[1] as { text: string }).text).toMatch(/^locked \(.*[a-e] locked/)
  }
})

it('A client whose lock is taken away reports which nodes still granted it', async () => {
  const key = freshKey()
  const lost = stepsOf({ key, hold: 10_000 })
  const servers = overRest(nodes)
  const redisKey = `lock:l:${key}`
  await until(async () => !(await holders(servers, redisKey)).includes(null), 5000)
  for (const server of servers.slice(0, 3)) {
    await server.command('SET', redisKey, 'rival000-0000-4000-8000-000000000000', 'PX', 10_000)
  }
  expect(await lost).toContainEqual({ type: 'lost', grantedBy: [3, 4], late: expect.any(Number) })
})
