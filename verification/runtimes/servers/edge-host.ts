import { readFileSync } from 'node:fs'
import { EdgeRuntime, runServer } from 'edge-runtime'

// Runs the script that is its argument inside @edge-runtime/vm, and serves it.
const { REDLOCK_NODES } = process.env
// Its server does not catch errors of the source of a body, with or without a lock.
process.on('uncaughtException', (error) => console.error(error))
const runtime = new EdgeRuntime({
  initialCode: readFileSync(process.argv[2]!, 'utf8'),
  extend: (context) => Object.assign(context, { REDLOCK_NODES }),
})
const { url } = await runServer({ runtime, host: '127.0.0.1', port: 0 })
console.log(`listening on ${new URL(url).port}`)
