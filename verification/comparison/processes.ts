import { fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { stopSignal } from '../../tools/cli/stop-signal.ts'
import { startCluster } from '../../tools/servers/cluster.ts'
import type { Message, Task } from './child.ts'
import { contestants } from './contestants/all.ts'
import type { Contestant } from './contestants/contestant.ts'
import { type Address, addressesOf, lookInto } from './nodes.ts'
import type { Behaviour, Observation } from './observation.ts'
import type { Column } from './table.ts'

// Mostly they wait; but some loop hot, and must not make the others late.
const atOnce = 3

const here = (path: string): URL => new URL(path, import.meta.url)

/** Name and version of an installed package, or of this project. */
const versionOf = async (folder: string | undefined): Promise<string> => {
  const file = here(folder ? `../node_modules/${folder}/package.json` : '../../package.json')
  const text = await readFile(file, 'utf8')
  const { name, version } = JSON.parse(text) as { name: string; version: string }
  return `${name} ${version.replace(/^v/, '')}`
}

/** One contestant in a process of its own, which ends with the signal at the latest. */
const play = async (
  contestant: Contestant,
  rows: readonly Behaviour[],
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<Column> => {
  const version = await versionOf(contestant.folder)
  const observations = new Map<string, Observation>()
  const { name } = contestant
  const task: Task = { contestant: name, behaviours: rows.map(({ id }) => id), addresses }
  await new Promise<void>((resolve, reject) => {
    // By hand instead of by its own option, which reports an abort as an error of the process.
    const child = fork(here('child.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const end = (): boolean => child.kill()
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    child.on('message', (message: Message) => {
      if ('observation' in message) observations.set(message.behaviour, message.observation)
      else reject(new Error(`${name}, ${message.behaviour}: ${message.broken}`))
    })
    child.once('error', reject)
    child.once('exit', (code) => {
      signal.removeEventListener('abort', end)
      if (code === 0) resolve()
      else reject(new Error(`The process of ${name} ended with ${code}`))
    })
    child.send(task)
  })
  return { name, version, observations }
}

/** Starts the servers, lets all contestants play, ends the servers. */
export const observeAll = async (
  rows: readonly Behaviour[],
): Promise<{ columns: Column[]; around: string[] }> => {
  const controller = new AbortController()
  const stop = AbortSignal.any([stopSignal(), controller.signal])
  const cluster = await startCluster({ count: 3 })
  const playing: Promise<void>[] = []
  try {
    const addresses = addressesOf(cluster)
    const servers = await lookInto(addresses)
    servers.close()
    const waiting = [...contestants]
    const columns: Column[] = []
    const playNext = async (): Promise<void> => {
      const contestant = waiting.shift()
      if (!contestant) return
      columns[contestants.indexOf(contestant)] = await play(contestant, rows, addresses, stop)
      await playNext()
    }
    playing.push(...Array.from({ length: atOnce }, playNext))
    // One that breaks ends them all, and none may outlive the servers.
    await Promise.all(playing).finally(() => controller.abort())
    const clients = await Promise.all(['ioredis', '@upstash/redis'].map(versionOf))
    return { columns, around: [...clients, `redis-server ${servers.version}`] }
  } finally {
    await Promise.allSettled(playing)
    await cluster.close()
  }
}
