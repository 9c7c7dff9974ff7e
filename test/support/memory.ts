import type { MemoryEntries } from '../../src/memory/memory-server.ts'
import type { Server } from './nodes.ts'

/** The server of a node that runs the emulator: runs the commands that tests use on its entries. */
export const memoryServer = ({ entries }: { readonly entries: MemoryEntries }): Server => ({
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
        throw new Error(`Nodes without Redis do not support ${name}`)
    }
  },
})
