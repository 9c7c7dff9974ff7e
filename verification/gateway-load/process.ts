import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startChild } from '../chaos/campaign/child.ts'
import type { Memory, Settings, Told } from './server.ts'

/** A gateway in a process of its own, watched while it runs. */
export type Gateway = {
  readonly port: number
  readonly token: string
  /** The most memory that it was seen with, in bytes. */
  readonly peak: () => number
  /** What it has once it has collected its garbage. */
  readonly collected: () => Promise<Memory>
  /** Whether the process is still the one that was started. */
  readonly isUp: () => boolean
  /** Asks it to end, by SIGTERM. Resolves to how it ended, and how many ms that took. */
  readonly terminate: () => Promise<{ readonly code: number | null; readonly took: number }>
  readonly end: () => Promise<void>
}

const file = fileURLToPath(new URL('server.ts', import.meta.url))

/** Starts it. It ends with this process at the latest. */
export const startGateway = async (settings: Settings): Promise<Gateway> => {
  const child = await startChild<{ port: number }>(file, settings)
  let peak = 0
  child.process.on('message', (told: Told) => {
    if ('memory' in told) peak = Math.max(peak, told.memory.rss)
  })
  return {
    port: child.told.port,
    token: settings.token,
    peak: () => peak,
    collected: async () => {
      // What it told before it was asked may still be on its way, and is followed by the answer.
      await once(child.process, 'message')
      child.send({})
      const [told] = (await once(child.process, 'message')) as [{ memory: Memory }]
      return told.memory
    },
    isUp: () => child.process.exitCode === null && child.process.signalCode === null,
    terminate: async () => {
      const start = performance.now()
      child.process.kill('SIGTERM')
      const [code] = (await once(child.process, 'exit')) as [number | null]
      return { code, took: performance.now() - start }
    },
    end: child.end,
  }
}
