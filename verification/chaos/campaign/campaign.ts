import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { copyBroken } from '../broken/copy.ts'
import type { BrokenName } from '../broken/list.ts'
import { type Clients, startClients } from '../clients/clients.ts'
import type { Fault } from '../nemesis/fault.ts'
import { runNemesis } from '../nemesis/run.ts'
import { startNodes, warmUp } from '../nodes/cluster.ts'
import { watchLifetimes } from '../nodes/lifetimes.ts'
import { startLinks } from '../nodes/links.ts'
import { openRedis } from '../nodes/open-redis.ts'
import { makePacketFilter } from '../nodes/packets.ts'
import type { Means } from './capabilities.ts'
import { type Entry, historyWriter, now, type RunEvent } from './history.ts'
import { rehearseClock, rehearseHeldReplies, rehearsePartition } from './preflight.ts'
import * as settings from './settings.ts'
import { watchMachine } from './timer-lag.ts'

// A campaign from begin to end: starts everything, lets the nemesis loose, stops everything, and
// hands back what was written down.

export type Campaign = {
  readonly seed: number
  readonly minutes: number
  readonly broken?: BrokenName | undefined
  readonly faults: readonly Fault[]
  readonly means: Means
  readonly stop: AbortSignal
  readonly say: (text: string) => void
  readonly onBegin: () => void
}

const root = fileURLToPath(new URL('../../..', import.meta.url))
// How long clients may take to finish what they are doing: they wait, sleep, and give back.
const patience = 15_000

type Write = ReturnType<typeof historyWriter>['write']

const readCounters = async (port: number, write: Write): Promise<void> => {
  const redis = openRedis(port)
  try {
    for (const { name: key, kind } of settings.keys) {
      const texts = await redis.lrange(key, 0, -1)
      const entries = texts.map((text) => JSON.parse(text) as Entry)
      write({ type: 'store', at: now(), key, kind, entries })
    }
  } finally {
    redis.disconnect()
  }
}

/** Ctrl-C in a terminal ends the servers as well, and what is not over says nothing. */
const endIf = (stop: AbortSignal): void => {
  if (stop.aborted) throw new Error('Stopped before the campaign was over')
}

const readAll = async (directory: string): Promise<string> => {
  const names = await readdir(directory)
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))
  // Half a line, of a process that was killed in the middle of it, is none.
  return texts.map((text) => text.slice(0, text.lastIndexOf('\n') + 1)).join('')
}

/** Runs it. Resolves to the history, as JSON lines. */
export const runCampaign = async (campaign: Campaign): Promise<string> => {
  const { seed, minutes, broken, faults, means, stop, say, onBegin } = campaign
  await using started = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'edge-redlock-chaos-'))
  started.defer(() => rm(directory, { recursive: true, force: true }))
  const histories = join(directory, 'histories')
  await mkdir(histories)
  const copy = broken && (await copyBroken(root, broken))
  if (copy) started.defer(copy.remove)
  const history = historyWriter(join(histories, 'nemesis.jsonl'))
  started.defer(history.close)
  const { write } = history
  const { ttl, driftFactor } = settings
  const names = settings.nodes.map(({ name }) => name)
  const network: RunEvent['network'] = means.nft ? 'packets' : 'proxy'
  const clocks = means.clockLibrary !== undefined
  const asked = { seed, minutes, broken: broken ?? null, network, clocks, ttl, driftFactor }
  write({ type: 'run', at: now(), nodes: names, ...asked })

  const { nodes, store } = await startNodes(started, seed, { ...means, directory })
  const ports = nodes.map(({ port }) => port)
  const links = await startLinks(ports, seed, means.nft ? makePacketFilter(means.nft) : undefined)
  started.defer(links.stop)
  endIf(stop)
  await rehearsePartition({ links })
  await rehearseHeldReplies({ links, nodes })
  if (clocks) await rehearseClock({ nodes })
  say('The nodes are up. Those that are volatile abstain for the first 11 s ...')
  await warmUp(nodes, stop)
  endIf(stop)
  const clients: Clients = await startClients({
    directory: copy?.directory ?? root,
    histories,
    seed,
    settings: (name) => ({
      nodes: links.urls(name).map((url, index) => ({
        url,
        token: nodes[index]!.token,
        volatile: !settings.nodes[index]!.isPersistent,
      })),
      store: { url: store.url, token: store.token },
    }),
  })
  started.defer(clients.kill)
  // Until programs have been compiled, nothing is as usual.
  await setTimeout(settings.warmUp)
  endIf(stop)
  write({ type: 'begin', at: now() })
  onBegin()
  const watch = watchMachine(write)
  started.defer(watch.end)
  const servers = nodes.map(({ redis }, index) => ({ name: names[index]!, port: redis.port }))
  const lifetimes = watchLifetimes(servers, write)
  started.defer(lifetimes.end)
  const world = { nodes, links, clients }
  await runNemesis({ world, faults, duration: minutes * 60_000, write, stop })
  endIf(stop)
  watch.end()
  lifetimes.end()
  write({ type: 'end', at: now() })
  const late = await clients.stop(patience)
  for (const process of late) write({ type: 'unfinished', at: now(), process })
  await readCounters(store.redis.port, write)
  return readAll(histories)
}
