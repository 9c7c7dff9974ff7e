import { Redis } from 'ioredis'
import { until } from '../dev/until.ts'
import type { World } from './nemesis/inject.ts'
import { processes } from './settings.ts'

// What the nemesis does by means of this machine is tried before anything is measured: a partition
// that lets packets through, or a clock that stays, would be a fault that tests nothing.

const patience = 3000
const far = 60_000

/** How many ms the clock of a server is ahead of ours. */
const aheadOf = async (port: number): Promise<number> => {
  const redis = new Redis({ host: '127.0.0.1', port })
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
