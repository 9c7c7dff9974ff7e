import { until } from '../../../tools/cli/until.ts'
import type { World } from '../nemesis/inject.ts'
import { openRedis } from '../nodes/open-redis.ts'
import { processes } from './settings.ts'

// What the nemesis does by means of this machine is tried before anything is measured: a partition
// that lets packets through, or a clock that stays, would be a fault that tests nothing.

const patience = 15_000
const far = 60_000

/** How many ms the clock of a server is ahead of ours. */
const aheadOf = async (port: number): Promise<number> => {
  const redis = openRedis(port)
  try {
    const [seconds] = await redis.time()
    return 1000 * Number(seconds) - Date.now()
  } finally {
    redis.disconnect()
  }
}

/** @throws when a partition is none, or does not end. */
export const rehearsePartition = async ({ links }: Pick<World, 'links'>): Promise<void> => {
  const { name } = processes[0]
  const url = links.urls(name)[0]!
  const answers = async (): Promise<boolean> => {
    const options = { signal: AbortSignal.timeout(300), headers: { connection: 'close' } }
    return fetch(url, options).then(
      async (response) => (await response.arrayBuffer(), true),
      () => false,
    )
  }
  await until(answers, patience, 'The link did not carry anything')
  await links.set([name], [0], { kind: 'partition', amount: 1 })
  await until(async () => !(await answers()), patience, 'The partition did not cut the link')
  await links.set([name], [0])
  await until(answers, patience, 'The partition did not end')
}

/** @throws when a request does not arrive whose answer is held, or the answer does. */
export const rehearseHeldReplies = async (world: Pick<World, 'links' | 'nodes'>): Promise<void> => {
  const { links, nodes } = world
  const { name } = processes[0]
  const { token, redis: server } = nodes[0]!
  const key = 'rehearsal'
  await links.set([name], [0], { kind: 'replies held', amount: 1 })
  const request = fetch(links.urls(name)[0]!, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
    body: JSON.stringify(['SET', key, '1']),
    signal: AbortSignal.timeout(patience),
  })
  let isTold = false
  const told = request.then(
    () => (isTold = true),
    () => {},
  )
  const redis = openRedis(server.port)
  try {
    const hasArrived = async (): Promise<boolean> => (await redis.del(key)) === 1
    await until(hasArrived, patience, 'A request whose answer is held did not arrive')
    if (isTold) throw new Error('The answer was not held')
  } finally {
    redis.disconnect()
    await links.set([name], [0])
    await told
  }
}

/** @throws when the clock of a server cannot be put on, or not back. */
export const rehearseClock = async ({ nodes }: Pick<World, 'nodes'>): Promise<void> => {
  const { redis, setClock } = nodes[0]!
  for (const ms of [far, 0]) {
    setClock(ms)
    const isThere = async (): Promise<boolean> =>
      Math.abs((await aheadOf(redis.port)) - ms) < far / 10
    await until(isThere, patience, `The clock was not put ${ms} ms ahead`)
  }
}
