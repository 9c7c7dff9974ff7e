import Table from 'cli-table3'
import { Command } from 'commander'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import { median } from '../shared/quantile.ts'
import { gather } from './crowd.ts'

// Clients who want one lock at the same time, in virtual time: what the protocol does by itself,
// apart from any machine, and the same in every run. What `npm run bench:contention` shows of it on
// real servers is this and the work of the machine.

const strategies = ['parallel', 'frugal'] as const
type Strategy = (typeof strategies)[number]

const { json, bursts, worlds, seed } = new Command('npm run bench:virtual --')
  .description('Measure contention in virtual time, the same in every run')
  .option('--json', 'print the result as JSON')
  .option('--bursts <count>', 'of each size', wholeNumber(1e6), 1000)
  .option('--worlds <count>', 'in which clients wait', wholeNumber(1e6), 20)
  .option('--seed <number>', 'of the first; the others follow it', wholeNumber(2 ** 31), 1)
  .parse()
  .opts<{ json?: true; bursts: number; worlds: number; seed: number }>()

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** All ask at the same moment, with one try each. */
const playBursts = async (strategy: Strategy, size: number) => {
  const { clients, now, sent, until, settle } = gather(seed, size, strategy)
  const requests: number[] = []
  const times: number[] = []
  let one = 0
  for (let burst = 0; burst < bursts; burst++) {
    const [before, begun] = [sent(), now()]
    const ask = async (client: (typeof clients)[number]) => {
      const result = await client.tryAcquire(`burst ${burst}`)
      if (!result.ok) return []
      times.push(now() - begun)
      return [result.lock]
    }
    // It is held until everyone has been answered.
    const won = (await until(Promise.all(clients.map(ask)))).flat()
    if (won.length === 1) one++
    await until(Promise.all(won.map((lock) => lock.release())))
    await settle()
    requests.push(sent() - before)
  }
  return { strategy, size, one, requests: mean(requests), toWinner: median(times)! }
}

/** All wait, take it once, and give it back at once; against one client with nobody about. */
const playWaiters = async (strategy: Strategy, size: number) => {
  const ratios: number[] = []
  const requests: number[] = []
  const unluckiest: number[] = []
  for (let index = 0; index < worlds; index++) {
    const { clients, now, sent, until, settle } = gather(seed + index, size, strategy)
    const take = async (client: (typeof clients)[number], key: string): Promise<number> => {
      const lock = await client.acquire(key, { wait: 600_000 })
      await lock.release()
      return now()
    }
    const alone = gather(seed + index, 1, 'parallel')
    await alone.until(
      (async () => {
        for (let turn = 0; turn < size; turn++) {
          await (await alone.clients[0]!.acquire(`turn ${turn}`)).release()
        }
      })(),
    )
    const begun = now()
    const ends = await until(Promise.all(clients.map((client) => take(client, 'one'))))
    const waits = ends.map((end) => end - begun)
    await settle()
    ratios.push(Math.max(...waits) / alone.now())
    requests.push(sent() / size)
    unluckiest.push(Math.max(...waits) / median(waits)!)
  }
  return {
    strategy,
    size,
    ratio: median(ratios)!,
    requests: median(requests)!,
    unluckiest: median(unluckiest)!,
  }
}

try {
  const burstsPlayed: Awaited<ReturnType<typeof playBursts>>[] = []
  const waitersPlayed: Awaited<ReturnType<typeof playWaiters>>[] = []
  for (const strategy of strategies) {
    for (const size of [2, 3, 5, 10, 50]) burstsPlayed.push(await playBursts(strategy, size))
    for (const size of [2, 20, 100]) waitersPlayed.push(await playWaiters(strategy, size))
  }
  const twenty = waitersPlayed.find((one) => one.strategy === 'parallel' && one.size === 20)!
  const hundred = waitersPlayed.find((one) => one.strategy === 'parallel' && one.size === 100)!
  const isMet =
    burstsPlayed.every(({ one }) => one === bursts) &&
    twenty.ratio <= 1.6 &&
    twenty.requests <= 30 &&
    hundred.unluckiest <= 4
  if (!isMet) process.exitCode = 1
  if (json) {
    console.log(JSON.stringify({ isMet, bursts: burstsPlayed, waiters: waitersPlayed }))
  } else {
    const style = { compact: true }
    const head = ['', 'at once', 'exactly one winner', 'requests', 'ms to the winner']
    const first = new Table({ head, style })
    for (const { strategy, size, one, requests, toWinner } of burstsPlayed) {
      const share = `${((100 * one) / bursts).toFixed(1)} %`
      first.push([strategy, size, share, requests.toFixed(1), toWinner.toFixed(1)])
    }
    const second = new Table({
      head: ['', 'wait', 'time, against one alone', 'requests each', 'longest / median wait'],
      style,
    })
    for (const { strategy, size, ratio, requests, unluckiest } of waitersPlayed) {
      const figures = [ratio, requests, unluckiest].map((figure) => figure.toFixed(2))
      second.push([strategy, size, ...figures])
    }
    console.log(first.toString())
    console.log(second.toString())
    const all = burstsPlayed.reduce((sum, { one }) => sum + one, 0)
    console.log(
      `Virtual time: ${all} of ${bursts * burstsPlayed.length} bursts with exactly one winner; 20 who wait ${twenty.ratio.toFixed(2)} times as long as one alone (at most 1.6), ${twenty.requests.toFixed(1)} requests each (at most 30); of 100 the longest wait ${hundred.unluckiest.toFixed(2)} times the median (at most 4).`,
    )
  }
} catch (error) {
  reportFailure(error)
}
