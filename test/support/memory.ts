import type { LockNode } from '../../src/index.ts'
import type { MemoryNode } from '../../src/testing/index.ts'
import type { Fault } from './faults.ts'
import type { Server } from './nodes.ts'

/** The server of a memory node: runs the commands that tests use on its entries. */
export const memoryServer = ({ entries }: MemoryNode): Server => ({
  command: async (...words) => {
    const [name, key, value, , time] = words.map(String)
    const entry = entries.get(key!)
    const isAlive = entry !== undefined && Date.now() <= entry.expiresAt
    switch (name) {
      case 'GET':
        return isAlive ? entry.value : null
      case 'PTTL':
        return isAlive ? entry.expiresAt - Date.now() : -2
      case 'SET':
        entries.set(key!, { value: value!, expiresAt: Date.now() + Number(time) })
        return 'OK'
      case 'DEL':
        return entries.delete(key!) ? 1 : 0
      case 'SCRIPT':
        return 'OK' // There are no scripts to flush.
      default:
        throw new Error(`Memory nodes do not support ${name}`)
    }
  },
})

/** The memory node, with each of its calls going through the fault as if it were a request. */
export const memoryWithFault = (node: MemoryNode, fault: Fault): LockNode => ({
  name: node.name,
  run: async (call, signal) => {
    const { script, keys, args } = call
    const body = JSON.stringify(['EVALSHA', script.sha, keys.length, ...keys, ...args])
    const response = await fault({ body, signal }, async () =>
      Response.json({ result: await node.run(call, signal) }),
    )
    const { result } = JSON.parse(await response.text()) as { result: unknown }
    return result
  },
})
