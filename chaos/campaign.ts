import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { until } from '../dev/until.ts'
import { Redlock } from '../src/index.ts'
import { copyBroken } from './broken/copy.ts'
import type { BrokenName } from './broken/list.ts'
import { type Clients, startClients } from './clients/clients.ts'
import { type Entry, historyWriter, now } from './history.ts'
import { runNemesis } from './nemesis/run.ts'
import type { Fault } from './nemesis/fault.ts'
import { startLinks } from './nodes/links.ts'
import { type ChaosNode, startNode } from './nodes/nodes.ts'
import * as settings from './settings.ts'

// A campaign from begin to end: starts everything, lets the nemesis loose, stops everything, and
// hands back what was written down.

export type Campaign = {
  readonly seed: number
  readonly minutes: number
  readonly broken?: BrokenName | undefined
  readonly faults: readonly Fault[]
  readonly stop: AbortSignal
  readonly say: (text: string) => void
  readonly onBegin: () => void
}

const root = fileURLToPath(new URL('..', import.meta.url))
// How long clients may take to finish what they are doing: they wait, sleep, and give back.
const patience = 15_000

/** All of them, or none: those that did start are stopped where another did not. */
const startNodes = async (started: AsyncDisposableStack, seed: number): Promise<ChaosNode[]> => {
  const starting = settings.nodes.map(({ isPersistent }, index) =>
    startNode({ isPersistent, seed: seed + index }),
  )
  starting.push(startNode({ isPersistent: false, seed }))
  const ends = await Promise.allSettled(starting)
  for (const end of ends) if (end.status === 'fulfilled') started.defer(end.value.stop)
  return Promise.all(starting)
}

/** New nodes that are volatile abstain at first. */
const warmUp = async (nodes: readonly ChaosNode[], stop: AbortSignal): Promise<void> => {
  const redlock = new Redlock({
    nodes: nodes.map(({ url, token }, index) => ({
      url,
      token,
      volatile: !settings.nodes[index]!.isPersistent,
    })),
    ttl: settings.ttl,
    maxTtl: settings.ttl,
    driftFactor: settings.driftFactor,
  })
  const isReady = async (): Promise<boolean> => {
    const { nodes } = await redlock.inspect('warm-up')
    return stop.aborted || nodes.every(({ status }) => status === 'absent')
  }
  await until(isReady, 2 * settings.quarantine, 'The nodes were not all ready')
}

const readCounters = async (port: number, write: Write): Promise<void> => {
  const redis = new Redis({ host: '127.0.0.1', port })
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

type Write = ReturnType<typeof historyWriter>['write']

/** Notes each second how late timers are here. On a machine that is too busy, figures mean less. */
const watchMachine = (write: Write): { readonly end: () => void } => {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const timer = setInterval(() => {
    write({ type: 'machine', at: now(), late: Math.max(0, Math.round(delay.max / 1e6 - 10)) })
    delay.reset()
  }, 1000)
  return {
    end: () => {
      clearInterval(timer)
      delay.disable()
    },
  }
}

const readAll = async (directory: string): Promise<string> => {
  const names = await readdir(directory)
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))
  // Half a line, of a process that was killed in the middle of it, is none.
  return texts.map((text) => text.slice(0, text.lastIndexOf('\n') + 1)).join('')
}

/** Runs it. Resolves to the history, as JSON lines. */
export const runCampaign = async (campaign: Campaign): Promise<string> => {
  const { seed, minutes, broken, faults, stop, say, onBegin } = campaign
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
  const asked = { seed, minutes, broken: broken ?? null, ttl, driftFactor, nodes: names }
  write({ type: 'run', at: now(), ...asked })

  const all = await startNodes(started, seed)
  const [store] = all.slice(-1) as [ChaosNode]
  const nodes = all.slice(0, -1)
  const ports = nodes.map(({ port }) => port)
  const links = await startLinks(ports, seed)
  started.defer(links.stop)
  say('The nodes are up. Those that are volatile abstain for the first 11 s ...')
  await warmUp(nodes, stop)
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
  write({ type: 'begin', at: now() })
  onBegin()
  const watch = watchMachine(write)
  started.defer(watch.end)
  const world = { nodes, links, clients }
  await runNemesis({ world, faults, duration: minutes * 60_000, write, stop })
  watch.end()
  write({ type: 'end', at: now() })
  const late = await clients.stop(patience)
  if (late.length > 0) throw new Error(`${late.join()} did not finish within ${patience} ms`)
  await readCounters(store.redis.port, write)
  return readAll(histories)
}
