import type { LockNode } from '../../src/index.ts'
import type { RedisRunOptions } from '../../src/protocol/node.ts'
import { luaOf } from '../../src/redis/commands.ts'
import type { Reply } from '../../src/protocol/reply.ts'
import type { Fault } from './faults.ts'

/**
 * A node that does not use `fetch`, with each of its calls going through the fault as if it were a
 * request.
 */
export const nodeWithFault = (node: LockNode, fault: Fault): LockNode => ({
  name: node.name,
  run: async (command, options) => {
    const { script, keys, args } = luaOf(command).encodeCommand(command, options as RedisRunOptions)
    const body = JSON.stringify(['EVALSHA', script.sha, keys.length, ...keys, ...args])
    const response = await fault({ body, signal: options.signal }, async () =>
      Response.json({ result: await node.run(command, options) }),
    )
    const { result } = JSON.parse(await response.text()) as { result: Reply }
    return result
  },
})
