import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { startChild } from '../../tools/child-process.ts'
import { stopSignal } from '../../tools/cli/stop-signal.ts'
import { startCluster } from '../../tools/servers/cluster.ts'
import type { Message, Task } from './contestant-process.ts'
import { contestants } from './contestants/all.ts'
import type { Contestant } from './contestants/contestant.ts'
import { type Address, addressesOf, inspectServers } from './nodes.ts'
import type { Behaviour } from './behaviours/behaviour.ts'
import type { Observation } from './observation.ts'
import type { Column } from './table.ts'

// Contestants mostly wait, so several run at a time. But some busy-loop, and must not slow the others.
const concurrency = 3

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Name and version of an installed package, or of this project. */
const versionOf = async (folder: string | undefined): Promise<string> => {
  const file = here(folder ? `../node_modules/${folder}/package.json` : '../../package.json')
  const text = await readFile(file, 'utf8')
  const { name, version } = JSON.parse(text) as { name: string; version: string }
  return `${name} ${version.replace(/^v/, '')}`
}

/** Observes one contestant in its own process, which ends when the signal aborts. */
const observeOne = async (
  contestant: Contestant,
  rows: readonly Behaviour[],
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<Column> => {
  signal.throwIfAborted()
  const version = await versionOf(contestant.folder)
  const observations = new Map<string, Observation>()
  const { name } = contestant
  const task: Task = { contestant: name, behaviours: rows.map(({ id }) => id), addresses }
  const errors: Error[] = []
  const child = await startChild<unknown, Message>(here('contestant-process.ts'), task, {
    isQuiet: true,
    onMessage: (message) => {
      if ('observation' in message) observations.set(message.behaviour, message.observation)
      else {
        errors.push(new Error(`${name}, ${message.behaviour}: ${message.broken}`))
        void child.end()
      }
    },
  })
  const end = (): void => void child.end()
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  const code = await child.ended
  signal.removeEventListener('abort', end)
  if (errors[0]) throw errors[0]
  if (code !== 0) throw new Error(`The process of ${name} ended with ${code}`)
  return { name, version, observations }
}

/** Starts the servers, observes all contestants, and ends the servers. */
export const observeAll = async (
  rows: readonly Behaviour[],
): Promise<{ columns: Column[]; around: string[] }> => {
  const failure = new AbortController()
  const stop = AbortSignal.any([stopSignal(), failure.signal])
  const cluster = await startCluster({ count: 3 })
  const workers: Promise<void>[] = []
  try {
    const addresses = addressesOf(cluster)
    const servers = await inspectServers(addresses)
    servers.close()
    const waiting = [...contestants]
    const columns: Column[] = []
    const observeNext = async (): Promise<void> => {
      const contestant = waiting.shift()
      if (!contestant) return
      const index = contestants.indexOf(contestant)
      columns[index] = await observeOne(contestant, rows, addresses, stop)
      await observeNext()
    }
    workers.push(...Array.from({ length: concurrency }, observeNext))
    // One failure ends all processes. No process may outlive the servers.
    await Promise.all(workers).finally(() => failure.abort())
    const clients = await Promise.all(['ioredis', '@upstash/redis'].map(versionOf))
    return { columns, around: [...clients, `redis-server ${servers.version}`] }
  } finally {
    await Promise.allSettled(workers)
    await cluster.close()
  }
}
