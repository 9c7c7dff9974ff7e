import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gateway } from '../../src/gateway/index.ts'
import { ioredisBackend } from '../../tools/servers/ioredis.ts'
import { type Limits, serve } from '../../tools/servers/serve.ts'
import { settingsFromParent } from '../chaos/campaign/parent.ts'

// A process: a gateway as people run it. It tells what memory it has, and ends at SIGTERM once all
// that it has taken is answered.

export type Settings = Limits & {
  readonly redis: number
  readonly token: string
  readonly maxBody: number
  readonly grace: number
}

/** In bytes: what the process has, and what of it is in use, in the heap and in buffers. */
export type Memory = { readonly rss: number; readonly used: number }
export type Told = { readonly port: number } | { readonly memory: Memory }

const tell = (told: Told): void => void process.send!(told)
const tellMemory = (): void => {
  const { rss, heapUsed, external } = process.memoryUsage()
  tell({ memory: { rss, used: heapUsed + external } })
}

const settings = await settingsFromParent<Settings>()
const { redis, token, maxBody, grace } = settings
const backend = ioredisBackend({ host: '127.0.0.1', port: redis })
const app = gateway({ token, maxBody, ...backend })
const serving = await serve((request) => app.fetch(request), settings)
const telling = setInterval(tellMemory, 100)

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

process.on('message', () => {
  // What is left then is in use.
  collect()
  tellMemory()
})
const end = async (): Promise<void> => {
  await serving.close(grace)
  await backend.close()
  clearInterval(telling)
  process.disconnect?.()
}
process.once('SIGTERM', () => void end())
tell({ port: serving.port })
