import type { LockNode } from '../../src/index.ts'
import type { Fault } from './faults.ts'

/**
 * A node that does not use `fetch`, with each of its calls going through the fault as if it were a
 * request.
 */
export const nodeWithFault = (node: LockNode, fault: Fault): LockNode => ({
  name: node.name,
  eval: async (script, keys, args, signal) => {
    const body = JSON.stringify(['EVALSHA', script.sha, keys.length, ...keys, ...args])
    const response = await fault({ body, signal }, async () =>
      Response.json({ result: await node.eval(script, keys, args, signal) }),
    )
    const { result } = JSON.parse(await response.text()) as { result: unknown }
    return result
  },
})
