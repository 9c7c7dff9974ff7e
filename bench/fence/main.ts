import Table from 'cli-table3'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { describeEngine, startCluster } from '../../tools/servers/cluster.ts'
import { acquireAtOnce, acquireInTurn, openClient, type Token } from './tokens.ts'

// Measures how often a fencing token needs no request of its own: without contention; with several
// clients that want the same lock again and again; and with several that acquire at the same moment.
// Five real servers, 3 to 10 ms away each way, and clients whose clocks are up to 20 ms apart.

type Case = { readonly name: string; readonly aim: number; readonly tokens: readonly Token[] }

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const judge = ({ name, aim, tokens }: Case) => {
  const share = tokens.filter(({ isFree }) => isFree).length / tokens.length
  const isOrdered = tokens.every(({ token }, index) => !index || token > tokens[index - 1]!.token)
  return { name, aim, share, locks: tokens.length, isOrdered, isMet: share >= aim && isOrdered }
}

await runCommand<{ locks: number; contenders: number }>(
  {
    name: 'npm run bench:fence --',
    description: 'Measure how often a fencing token needs no round of its own',
    options: {
      locks: countOption('--locks <count>', 'locks to take in each case', 100_000, 300),
      contenders: countOption('--contenders <count>', 'how many want the same lock', 100, 6),
    },
  },
  async ({ locks, contenders }) => {
    await using started = new AsyncDisposableStack()
    const cluster = await startCluster({ count: 5 })
    started.defer(cluster.close)
    const begun = performance.now()
    const key = crypto.randomUUID()
    const alone: Token[] = []
    const together: Token[] = []
    const atOnce: Token[] = []
    await acquireInTurn(openClient(cluster.nodes), `${key}-alone`, locks, alone)
    const turns = Math.ceil(locks / contenders)
    const openClients = () => Array.from({ length: contenders }, () => openClient(cluster.nodes))
    await Promise.all(openClients().map((client) => acquireInTurn(client, key, turns, together)))
    const clients = openClients()
    while (atOnce.length < locks) await acquireAtOnce(clients, `${key}-at-once`, atOnce)
    const results = [
      { name: 'nobody else', aim: 1, tokens: alone },
      { name: `${contenders} in turn`, aim: 0.9, tokens: together },
      // After a split vote the nodes that the winner got last may have higher counters than the first, since
      // rivals had them in between. A round more makes them agree, and only those who want a token need it.
      { name: `${contenders} at the same moment`, aim: 0.5, tokens: atOnce },
    ].map(judge)
    const isMet = results.every(({ isMet }) => isMet)
    const table = new Table({ head: ['', 'locks', 'no request', 'aim', 'each above the last'] })
    for (const { name, aim, share, locks, isOrdered } of results) {
      table.push([name, locks, percent(share), percent(aim), isOrdered ? 'yes' : 'NO'])
    }
    const seconds = ((performance.now() - begun) / 1000).toFixed(0)
    const shares = results.map(({ name, share }) => `${name} ${percent(share)}`)
    return {
      isMet,
      json: { isMet, results },
      lines: [
        `${describeEngine(cluster)}, 3 to 10 ms away; ${seconds} s`,
        table.toString(),
        `Tokens that cost no request: ${shares.join(', ')}.`,
      ],
    }
  },
)
