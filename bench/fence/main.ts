import { performance } from 'node:perf_hooks'
import Table from 'cli-table3'
import { Command } from 'commander'
import { type Lock, Redlock, type RestNodeOptions } from '../../src/index.ts'
import { systemClock } from '../../src/util/clock.ts'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import { describeEngine, startCluster } from '../../tools/servers/cluster.ts'
import { distance } from '../shared/distance.ts'

// How often the fencing token needs no request of its own: with nobody else about; with several who
// want the same lock again and again; and with several who come at the same moment. Five real
// servers, 3 to 10 ms away each way, and clients whose clocks are up to 20 ms apart.

const skew = 20

const remote = ({ url, token }: RestNodeOptions, onExtend: () => void): RestNodeOptions => ({
  url,
  token,
  fetch: async (address, init) => {
    const words = JSON.parse(init?.body as string) as unknown[]
    if (words[3 + Number(words[2])] === 'e') onExtend()
    await distance()
    const response = await fetch(address, init)
    await distance()
    return response
  },
})

/** One client, which knows of each token whether it cost a request. */
const client = (
  nodes: readonly RestNodeOptions[],
): { redlock: Redlock; ask: (lock: Lock) => Promise<Token> } => {
  let rounds = 0
  const off = Math.round(skew * Math.random())
  const redlock = new Redlock({
    nodes: nodes.map((node) => remote(node, () => rounds++)),
    singleFlight: false,
    clock: { ...systemClock, wall: () => Date.now() + off },
  })
  const ask = async (lock: Lock): Promise<Token> => {
    const before = rounds
    const token = await lock.fence()
    return { token, isFree: rounds === before }
  }
  return { redlock, ask }
}
type Token = { readonly token: number; readonly isFree: boolean }
type Case = { readonly name: string; readonly aim: number; readonly tokens: readonly Token[] }

/** Takes the lock so many times, one after the other. */
const inTurn = async (
  nodes: readonly RestNodeOptions[],
  key: string,
  count: number,
  tokens: Token[],
): Promise<void> => {
  const { redlock, ask } = client(nodes)
  for (let turn = 0; turn < count; turn++) {
    const lock = await redlock.acquire(key, { ttl: 30_000, wait: 120_000 })
    tokens.push(await ask(lock))
    await lock.release()
  }
}

/** So many who ask at the same moment. One gets the lock, or several one after the other. */
const burst = async (
  clients: readonly ReturnType<typeof client>[],
  key: string,
  tokens: Token[],
): Promise<void> => {
  await Promise.all(
    clients.map(async ({ redlock, ask }) => {
      const result = await redlock.tryAcquire(key, { ttl: 30_000 })
      if (!result.ok) return
      tokens.push(await ask(result.lock))
      await result.lock.release()
    }),
  )
}

const { json, locks, contenders } = new Command('npm run bench:fence --')
  .description('Measure how often a fencing token needs no round of its own')
  .option('--json', 'print the result as JSON')
  .option('--locks <count>', 'locks to take in each case', wholeNumber(100_000), 300)
  .option('--contenders <count>', 'how many want the same lock', wholeNumber(100), 6)
  .parse()
  .opts<{ json?: true; locks: number; contenders: number }>()

const cluster = await startCluster({ count: 5 })
try {
  const started = performance.now()
  const key = crypto.randomUUID()
  const [alone, together, atOnce]: Token[][] = [[], [], []]
  await inTurn(cluster.nodes, `${key}-alone`, locks, alone!)
  const turns = Math.ceil(locks / contenders)
  await Promise.all(
    Array.from({ length: contenders }, () => inTurn(cluster.nodes, key, turns, together!)),
  )
  const clients = Array.from({ length: contenders }, () => client(cluster.nodes))
  while (atOnce!.length < locks) await burst(clients, `${key}-at-once`, atOnce!)
  const cases: Case[] = [
    { name: 'nobody else', aim: 1, tokens: alone! },
    { name: `${contenders} in turn`, aim: 0.9, tokens: together! },
    { name: `${contenders} at the same moment`, aim: 0.9, tokens: atOnce! },
  ]
  const results = cases.map(({ name, aim, tokens }) => {
    const share = tokens.filter(({ isFree }) => isFree).length / tokens.length
    const isOrdered = tokens.every(({ token }, index) => !index || token > tokens[index - 1]!.token)
    return { name, aim, share, locks: tokens.length, isOrdered, isMet: share >= aim && isOrdered }
  })
  const isMet = results.every(({ isMet }) => isMet)
  if (!isMet) process.exitCode = 1
  if (json) console.log(JSON.stringify({ isMet, results }))
  else {
    const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
    const table = new Table({ head: ['', 'locks', 'no request', 'aim', 'each above the last'] })
    for (const { name, aim, share, locks, isOrdered } of results) {
      table.push([name, locks, percent(share), percent(aim), isOrdered ? 'yes' : 'NO'])
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    console.log(`${describeEngine(cluster)}, 3 to 10 ms away; ${seconds} s`)
    console.log(table.toString())
    const shares = results.map(({ name, share }) => `${name} ${percent(share)}`)
    console.log(`Tokens that cost no request: ${shares.join(', ')}.`)
  }
} catch (error) {
  reportFailure(error)
} finally {
  await cluster.close()
}
