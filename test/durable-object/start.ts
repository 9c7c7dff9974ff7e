import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Running, startRuntime } from '../../tools/servers/runtime.ts'
import { workerd } from '../../tools/servers/workerd.ts'

const entry = fileURLToPath(new URL('worker.ts', import.meta.url))

/** The Worker of the tests on a workerd of its own, whose objects keep their storage in a directory. */
export type ObjectWorker = {
  readonly post: <Answer>(path: string, body?: string) => Promise<Answer>
  /** Kills workerd, without a chance to save anything, and starts it over the same storage. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

export const startObjects = async (className = 'InspectedNode'): Promise<ObjectWorker> => {
  const directory = await mkdtemp(join(tmpdir(), 'edge-redlock-objects-'))
  const start = (): Promise<Running> =>
    startRuntime(workerd(entry, { objects: { className, directory } }), { REDLOCK_NODES: '[]' })
  let running = await start()
  return {
    post: async <Answer>(path: string, body?: string) => {
      const init = body === undefined ? { method: 'POST' } : { method: 'POST', body }
      const response = await running.call(path, init)
      const text = await response.text()
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text}\n${running.log()}`)
      const isJson = response.headers.get('content-type')?.includes('json')
      return (isJson ? JSON.parse(text) : text) as Answer
    },
    restart: async () => {
      await running.stop()
      running = await start()
    },
    stop: async () => {
      await running.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
