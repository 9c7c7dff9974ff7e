import { join } from 'node:path'
import { type ClientSettings, type ProcessName, processes } from '../campaign/settings.ts'
import type { ClientProcess } from './client-process.ts'
import { startNodeClients } from './start-node.ts'
import { startWorkerdClients } from './start-workerd.ts'

/** All client processes. A process that was killed is replaced with a new generation. */
export type Clients = {
  readonly get: (name: ProcessName) => ClientProcess
  /** Resolves once the process is not being replaced. */
  readonly ready: (name: ProcessName) => Promise<void>
  readonly replace: (name: ProcessName) => Promise<void>
  /** Stops all processes. Resolves to the names of those that did not finish within `limit` ms. */
  readonly stop: (limit: number) => Promise<ProcessName[]>
  readonly kill: () => Promise<void>
}

/** Starts all processes. Each process writes its own history to the directory `histories`. */
export const startClients = async (options: {
  readonly directory: string
  readonly histories: string
  readonly seed: number
  readonly settings: (name: ProcessName) => ClientSettings
}): Promise<Clients> => {
  const { directory, histories, seed, settings } = options
  const running = new Map<ProcessName, ClientProcess>()
  const replacing = new Map<ProcessName, Promise<void>>()
  const generations = new Map<ProcessName, number>()

  const start = async (name: ProcessName): Promise<void> => {
    const process = processes.find((one) => one.name === name)!
    const generation = (generations.get(name) ?? 0) + 1
    generations.set(name, generation)
    const startProcess = process.runtime === 'node' ? startNodeClients : startWorkerdClients
    const own = {
      ...process,
      generation,
      seed: seed + 1000 * processes.indexOf(process) + 100_000 * generation,
      history: join(histories, `${name}.${generation}.jsonl`),
    }
    running.set(name, await startProcess({ ...own, directory, settings: settings(name) }))
  }

  const kill = async (): Promise<void> => {
    await Promise.all(Array.from(running.values(), (one) => one.kill()))
  }
  const started = await Promise.allSettled(processes.map(({ name }) => start(name)))
  const failed = started.find((one) => one.status === 'rejected')
  if (failed) {
    await kill()
    throw failed.reason
  }
  return {
    get: (name) => running.get(name)!,
    ready: async (name) => replacing.get(name),
    replace: (name) => {
      const replaced = start(name)
      replacing.set(name, replaced)
      return replaced
    },
    stop: async (limit) => {
      const ends = await Promise.all(
        Array.from(running.values(), async (one) => ({
          name: one.name,
          hasEnded: await one.stop(limit),
        })),
      )
      return ends.flatMap(({ name, hasEnded }) => (hasEnded ? [] : [name]))
    },
    kill,
  }
}
