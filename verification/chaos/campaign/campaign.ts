import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { copyBroken } from '../broken/copy.ts'
import type { BrokenName } from '../broken/list.ts'
import { startClients } from '../clients/clients.ts'
import type { Fault } from '../nemesis/fault.ts'
import { runNemesis } from '../nemesis/run.ts'
import { startNodes, warmUp } from '../nodes/cluster.ts'
import { watchLifetimes } from '../nodes/lifetimes.ts'
import { startLinks } from '../nodes/links.ts'
import { openRedis } from '../nodes/open-redis.ts'
import { makePacketFilter } from '../nodes/packets.ts'
import type { Capabilities } from './capabilities.ts'
import type { Entry, RunEvent } from './events.ts'
import { type HistoryWriter, historyWriter, now } from './history.ts'
import { preflightClock, preflightHeldReplies, preflightPartition } from './preflight.ts'
import * as settings from './settings.ts'
import { watchTimerLag } from './timer-lag.ts'

// A complete campaign: starts the nodes and clients, runs the nemesis, stops everything, and returns the history.

export type Campaign = {
  readonly seed: number
  readonly minutes: number
  readonly broken?: BrokenName | undefined
  readonly faults: readonly Fault[]
  readonly capabilities: Capabilities
  readonly stop: AbortSignal
  readonly say: (text: string) => void
  readonly onBegin: () => void
}

const root = fileURLToPath(new URL('../../..', import.meta.url))
// How long clients can take to finish their operations, in ms: they wait, sleep and release locks.
const maxFinish = 15_000

const writeCounters = async (port: number, write: HistoryWriter['write']): Promise<void> => {
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

/** Ctrl-C in a terminal also ends the servers, which makes the history useless. */
const throwIfStopped = (stop: AbortSignal): void => {
  if (stop.aborted) throw new Error('Stopped before the campaign was over')
}

const readHistories = async (directory: string): Promise<string> => {
  const names = await readdir(directory)
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))
  // A process that was killed may have left an incomplete last line.
  return texts.map((text) => text.slice(0, text.lastIndexOf('\n') + 1)).join('')
}

const runEvent = ({ seed, minutes, broken, capabilities }: Campaign): RunEvent => ({
  type: 'run',
  at: now(),
  nodes: settings.nodes.map(({ name }) => name),
  seed,
  minutes,
  broken: broken ?? null,
  network: capabilities.nft === undefined ? 'proxy' : 'packets',
  clocks: capabilities.clockLibrary !== undefined,
  ttl: settings.ttl,
  driftFactor: settings.driftFactor,
})

/** Runs a campaign. Resolves to the history, as JSON lines. */
export const runCampaign = async (campaign: Campaign): Promise<string> => {
  const { seed, minutes, broken, faults, capabilities, stop, say, onBegin } = campaign
  const { nft, clockLibrary } = capabilities
  await using started = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'edge-redlock-chaos-'))
  started.defer(() => rm(directory, { recursive: true, force: true }))
  const histories = join(directory, 'histories')
  await mkdir(histories)
  const copy = broken && (await copyBroken(broken))
  if (copy) started.defer(copy.remove)
  const history = historyWriter(join(histories, 'nemesis.jsonl'))
  started.defer(history.close)
  const { write } = history
  write(runEvent(campaign))

  const { nodes, store } = await startNodes(started, seed, { clockLibrary, directory })
  const ports = nodes.map(({ port }) => port)
  const links = await startLinks(ports, seed, nft === undefined ? undefined : makePacketFilter(nft))
  started.defer(links.stop)
  throwIfStopped(stop)
  await preflightPartition({ links })
  await preflightHeldReplies({ links, nodes })
  if (clockLibrary !== undefined) await preflightClock({ nodes })
  say('The nodes are up. Those that are volatile abstain for the first 11 s ...')
  await warmUp(nodes, stop)
  throwIfStopped(stop)
  const clients = await startClients({
    directory: copy?.directory ?? root,
    histories,
    seed,
    settings: (name) => ({
      nodes: links.urls(name).map((url, index) => ({
        url,
        token: nodes[index]!.token,
        isVolatile: !settings.nodes[index]!.isPersistent,
      })),
      store: { url: store.url, token: store.token },
    }),
  })
  started.defer(clients.kill)
  // Clients are slower than usual until their code has been compiled.
  await setTimeout(settings.warmUp)
  throwIfStopped(stop)
  write({ type: 'begin', at: now() })
  onBegin()
  const timerLag = watchTimerLag(write)
  started.defer(timerLag.end)
  const servers = nodes.map(({ redis }, index) => ({
    name: settings.nodes[index]!.name,
    port: redis.port,
  }))
  const lifetimes = watchLifetimes(servers, write)
  started.defer(lifetimes.end)
  const targets = { nodes, links, clients }
  await runNemesis({ targets, faults, duration: minutes * 60_000, write, stop })
  throwIfStopped(stop)
  timerLag.end()
  lifetimes.end()
  write({ type: 'end', at: now() })
  const unfinished = await clients.stop(maxFinish)
  for (const process of unfinished) write({ type: 'unfinished', at: now(), process })
  await writeCounters(store.redis.port, write)
  return readHistories(histories)
}
