import type { MemoryEntry } from '../../src/emulator/memory-server.ts'
import { RedlockNode } from '../../src/durable-object/index.ts'
import { memoryServer } from '../support/memory.ts'

/** An object whose storage tests read and change, and which they evict. */
export class InspectedNode extends RedlockNode {
  /** Runs a command of Redis that tests use, on the storage of the object. */
  async command(...words: (string | number)[]): Promise<unknown> {
    const { kv } = this.ctx.storage
    const entries = {
      get: (key: string) => kv.get(key) as MemoryEntry | undefined,
      set: (key: string, entry: MemoryEntry) => kv.put(key, entry),
      delete: (key: string) => kv.delete(key),
    }
    return memoryServer({ entries }).command(...words)
  }

  /** The keys of all rows, also of those that have expired. */
  async rows(): Promise<string[]> {
    return Array.from(this.ctx.storage.kv.list(), ([key]) => key)
  }

  /** When the next alarm is due, in ms since 1970. */
  async alarmAt(): Promise<number | null> {
    return this.ctx.storage.getAlarm()
  }

  /** Lets the storage refuse every write of a key after so many. */
  async failAfter(count: number): Promise<void> {
    const { kv } = this.ctx.storage
    const put = Object.getPrototypeOf(kv).put as typeof kv.put
    let writes = 0
    kv.put = (key, value) => {
      if (writes++ >= count) throw new Error('the disk is full')
      put.call(kv, key, value)
    }
  }

  /** Ends the object as an eviction does: what it had in memory is lost, and calls in progress fail. */
  async evict(): Promise<void> {
    this.ctx.abort('evicted by a test')
  }
}
