import { createAdaptorServer } from '@hono/node-server'
import { gateway } from '../../../src/gateway/index.ts'
import { listening } from '../../../tools/cli/listening.ts'
import { randomFrom } from '../../../tools/random.ts'
import { ioredisBackend } from '../../../tools/servers/ioredis.ts'
import { settingsFromParent } from '../campaign/parent.ts'
import { type GatewayFault, withFaults } from './gateway-faults.ts'

// A process: the gateway of one Redis. It is told its fault, or that it has none, by its parent, and
// ends with it.

type Settings = {
  readonly redis: number
  readonly port: number
  readonly token: string
  readonly seed: number
}

const { redis, port, token, seed } = await settingsFromParent<Settings>()
let fault: GatewayFault | undefined

const app = gateway({ token, ...ioredisBackend({ host: '127.0.0.1', port: redis }) })
const handle = (request: Request): Response | Promise<Response> => app.fetch(request)
const server = createAdaptorServer({ fetch: withFaults(handle, randomFrom(seed), () => fault) })

process.on('message', (told: { fault: GatewayFault | null }) => (fault = told.fault ?? undefined))
process.send!({ port: await listening(server, port) })
