const { Redlock } = require('edge-redlock')
const { lock } = require('edge-redlock/hono')
const { idempotent } = require('edge-redlock/idempotency')
const { lockOf } = require('edge-redlock/node')
const { memoryNodes } = require('edge-redlock/testing')

// `require` of Node, without flags.

const main = async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  lock({ redlock, key: 'a' })
  idempotent({ redlock, scope: () => 'all' })
  const held = await redlock.acquire('a')
  if ((await held.release()) !== 'released' || lockOf({})) process.exit(1)
}
main()
