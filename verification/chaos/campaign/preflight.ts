import { until } from '../../../tools/cli/until.ts'
import type { Targets } from '../nemesis/inject.ts'
import { openRedis } from '../nodes/open-redis.ts'
import { processes } from './settings.ts'

// Checks the faults that depend on this machine, before a campaign. A partition that lets packets through, or a clock
// that does not move, would test nothing.

const limit = 15_000
// The size of the trial clock step, in ms.
const clockStep = 60_000

/** How far the clock of a server is ahead of ours, in ms. */
const clockOffset = async (port: number): Promise<number> => {
  const redis = openRedis(port)
  try {
    const [seconds] = await redis.time()
    return 1000 * Number(seconds) - Date.now()
  } finally {
    redis.disconnect()
  }
}

/** Tries a partition. @throws if it does not cut the link, or does not end. */
export const preflightPartition = async ({ links }: Pick<Targets, 'links'>): Promise<void> => {
  const { name } = processes[0]
  const url = links.urls(name)[0]!
  const answers = async (): Promise<boolean> => {
    const options = { signal: AbortSignal.timeout(300), headers: { connection: 'close' } }
    return fetch(url, options).then(
      async (response) => (await response.arrayBuffer(), true),
      () => false,
    )
  }
  await until(answers, limit, 'The link did not carry anything')
  await links.set([name], [0], { kind: 'partition', amount: 1 })
  await until(async () => !(await answers()), limit, 'The partition did not cut the link')
  await links.set([name], [0])
  await until(answers, limit, 'The partition did not end')
}

/** Tries to hold back replies. @throws if the request does not arrive, or if the reply does. */
export const preflightHeldReplies = async (
  targets: Pick<Targets, 'links' | 'nodes'>,
): Promise<void> => {
  const { links, nodes } = targets
  const { name } = processes[0]
  const { token, redis: server } = nodes[0]!
  const key = 'preflight'
  await links.set([name], [0], { kind: 'replies held', amount: 1 })
  const request = fetch(links.urls(name)[0]!, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
    body: JSON.stringify(['SET', key, '1']),
    signal: AbortSignal.timeout(limit),
  })
  let isAnswered = false
  const ended = request.then(
    () => (isAnswered = true),
    () => {},
  )
  const redis = openRedis(server.port)
  try {
    const hasArrived = async (): Promise<boolean> => (await redis.del(key)) === 1
    await until(hasArrived, limit, 'A request whose reply is held back did not arrive')
    if (isAnswered) throw new Error('The reply was not held back')
  } finally {
    redis.disconnect()
    await links.set([name], [0])
    await ended
  }
}

/** Tries to step the clock of a server. @throws if that fails, or if the clock cannot be corrected afterwards. */
export const preflightClock = async ({ nodes }: Pick<Targets, 'nodes'>): Promise<void> => {
  const { redis, setClock } = nodes[0]!
  for (const ms of [clockStep, 0]) {
    setClock(ms)
    const isSet = async (): Promise<boolean> =>
      Math.abs((await clockOffset(redis.port)) - ms) < clockStep / 10
    await until(isSet, limit, `The clock was not stepped to ${ms} ms ahead`)
  }
}
