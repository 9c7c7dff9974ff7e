import { readFileSync } from 'node:fs'
import { EdgeRuntime, runServer } from 'edge-runtime'

// Runs the script in its argument inside @edge-runtime/vm, and serves it.
const { REDLOCK_NODES } = process.env
// With or without a lock, its server does not catch errors of a body's source.
process.on('uncaughtException', (error) => console.error(error))
const runtime = new EdgeRuntime({
  initialCode: readFileSync(process.argv[2]!, 'utf8'),
  extend: (context) => Object.assign(context, { REDLOCK_NODES }),
})
const { url } = await runServer({ runtime, host: '127.0.0.1', port: 0 })
console.log(`listening on ${new URL(url).port}`)
