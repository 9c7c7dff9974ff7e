import { createAdaptorServer } from '@hono/node-server'
import { gateway } from '../../../src/entries/gateway.ts'
import { listening } from '../../../tools/cli/listening.ts'
import { randomFrom } from '../../../tools/random.ts'
import { ioredisBackend } from '../../../tools/servers/ioredis.ts'
import { settingsFromParent } from '../../../tools/child-process.ts'
import { type GatewayFault, withFaults } from './gateway-faults.ts'

// A process with the gateway of one Redis server. The parent process sends a fault, or null to end the fault. The
// process ends with its parent.

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

process.on(
  'message',
  (message: { fault: GatewayFault | null }) => (fault = message.fault ?? undefined),
)
process.send!({ port: await listening(server, port) })
