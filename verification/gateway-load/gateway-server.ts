import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gateway } from '../../src/entries/gateway.ts'
import { settingsFromParent } from '../../tools/child-process.ts'
import { ioredisBackend } from '../../tools/servers/ioredis.ts'
import { type Limits, serve } from '../../tools/servers/serve.ts'

// A process with a gateway as it runs in production. It reports its memory every 100 ms, collects its garbage when it
// receives a message, and ends on SIGTERM once all accepted requests are answered.

export type Settings = Required<Limits> & {
  readonly redis: number
  readonly token: string
  readonly maxBody: number
  readonly grace: number
}

/** In bytes: the resident set of the process, and the used part of its heap and buffers. */
export type Memory = { readonly rss: number; readonly used: number }
export type Report = { readonly port: number }
export type MemoryReport = { readonly memory: Memory }

const send = (message: Report | MemoryReport): void => void process.send!(message)
const reportMemory = (): void => {
  const { rss, heapUsed, external } = process.memoryUsage()
  send({ memory: { rss, used: heapUsed + external } })
}

const settings = await settingsFromParent<Settings>()
const { redis, token, maxBody, grace } = settings
const backend = ioredisBackend({ host: '127.0.0.1', port: redis })
const app = gateway({ token, maxBody, ...backend })
const serving = await serve((request) => app.fetch(request), settings)
const reporting = setInterval(reportMemory, 100)

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

process.on('message', () => {
  collect()
  reportMemory()
})
const end = async (): Promise<void> => {
  await serving.close(grace)
  await backend.close()
  clearInterval(reporting)
  process.disconnect?.()
}
process.once('SIGTERM', () => void end())
send({ port: serving.port })
