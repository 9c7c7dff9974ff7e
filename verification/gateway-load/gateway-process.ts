import { fileURLToPath } from 'node:url'
import { startChild } from '../../tools/child-process.ts'
import type { Memory, MemoryReport, Report, Settings } from './gateway-server.ts'

/** A gateway in a separate process, whose memory is watched. */
export type Gateway = {
  readonly port: number
  readonly token: string
  /** The maximum of its resident set so far, in bytes. */
  readonly peak: () => number
  /** Its memory after a garbage collection. */
  readonly collected: () => Promise<Memory>
  /** Whether the process that was started is still running. */
  readonly isUp: () => boolean
  /** Sends SIGTERM. Resolves to the exit code, and the ms until the process had ended. */
  readonly terminate: () => Promise<{ readonly code: number | null; readonly took: number }>
  readonly end: () => Promise<void>
}

const file = fileURLToPath(new URL('gateway-server.ts', import.meta.url))

/** Starts a gateway, which ends when this process ends. */
export const startGateway = async (settings: Settings): Promise<Gateway> => {
  let peak = 0
  const child = await startChild<Report, MemoryReport>(file, settings, {
    onMessage: ({ memory }) => (peak = Math.max(peak, memory.rss)),
  })
  return {
    port: child.report.port,
    token: settings.token,
    peak: () => peak,
    collected: async () => {
      // A periodic report may already be in transit; the next one follows the collection.
      await child.nextMessage()
      child.send({})
      return (await child.nextMessage<MemoryReport>()).memory
    },
    isUp: () => child.process.exitCode === null && child.process.signalCode === null,
    terminate: async () => {
      const start = performance.now()
      child.process.kill('SIGTERM')
      const ended = await child.ended
      const code = typeof ended === 'number' ? ended : null
      return { code, took: performance.now() - start }
    },
    end: child.end,
  }
}
