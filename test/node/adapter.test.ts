import { lock, lockOf, throttle } from '../../src/entries/node.ts'
import { type Adapter, adapterTests, type Handle } from '../conformance/adapters.ts'
import { serve, write } from './serve.ts'
import { realNodes } from '../support/real-nodes.ts'

const open = async (middleware: ReturnType<typeof lock>, handle: Handle) => {
  const port = await serve((req, res) =>
    middleware(req, res, async () => write(await handle(lockOf(req)), res)),
  )
  return (init?: RequestInit) => fetch(`http://127.0.0.1:${port}`, init)
}

const onNode: Adapter = {
  name: 'node:http',
  lock: (options, handle) => open(lock(options), handle),
  throttle: (options, handle) => open(throttle(options), handle),
}

adapterTests('Node', realNodes, [onNode])
