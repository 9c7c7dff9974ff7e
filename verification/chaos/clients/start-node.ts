import { once } from 'node:events'
import { join } from 'node:path'
import { startChild } from '../../../tools/child-process.ts'
import { type ClientProcess, type ClientStart, inTime } from './client-process.ts'
import type { NodeSettings } from './node.ts'

/** Starts a client process on Node. */
export const startNodeClients = async (start: ClientStart): Promise<ClientProcess> => {
  const { name, generation, clients, mayPause, distance, seed, history, settings } = start
  const own = { process: `${name}.${generation}`, clients, mayPause, distance, seed, history }
  const told: NodeSettings = { ...settings, ...own }
  const child = await startChild<{ type: 'up' }>(
    join(start.directory, 'verification', 'chaos', 'clients', 'node.ts'),
    told,
  )
  const exit = once(child.process, 'exit')
  return {
    name,
    pid: child.pid,
    holding: async () => {
      child.send({ type: 'watch' })
      await once(child.process, 'message')
    },
    pause: () => void child.process.kill('SIGSTOP'),
    resume: () => void child.process.kill('SIGCONT'),
    kill: child.end,
    stop: async (limit) => {
      // If the process has already ended, it has crashed.
      if (!child.process.connected) return false
      child.send({ type: 'stop' })
      const hasEnded = await inTime(exit, limit)
      await child.end()
      return hasEnded
    },
  }
}
