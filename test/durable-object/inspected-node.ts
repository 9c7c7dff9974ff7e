import type { MemoryEntry } from '../../src/memory/memory-server.ts'
import type { Reply } from '../../src/protocol/reply.ts'
import { RedlockNode } from '../../src/entries/durable-object.ts'
import { memoryServer } from '../support/memory.ts'

/** What an object has used: the calls of its nodes, and the rows that they have written. */
export type Used = { readonly requests: number; readonly written: number }

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

  #used = { requests: 0, written: 0 }

  constructor(...given: ConstructorParameters<typeof RedlockNode>) {
    super(...given)
    const { kv } = this.ctx.storage
    const stored = Object.getPrototypeOf(kv) as typeof kv
    kv.put = (key, value) => {
      this.#used.written++
      stored.put.call(kv, key, value)
    }
    kv.delete = (key) => {
      this.#used.written++
      return stored.delete.call(kv, key)
    }
  }

  override async run(...call: Parameters<RedlockNode['run']>): Promise<Reply> {
    this.#used.requests++
    return super.run(...call)
  }

  async used(): Promise<Used> {
    return this.#used
  }

  /** The keys of all rows, also of those that have expired. */
  async rows(): Promise<string[]> {
    return Array.from(this.ctx.storage.kv.list(), ([key]) => key)
  }

  /** When the next alarm is due, in ms since 1970. */
  async alarmAt(): Promise<number | null> {
    return this.ctx.storage.getAlarm()
  }

  /** Lets the storage reject every write of a key after so many. */
  async failAfter(count: number): Promise<void> {
    const { kv } = this.ctx.storage
    const stored = Object.getPrototypeOf(kv) as typeof kv
    let writes = 0
    kv.put = (key, value) => {
      if (writes++ >= count) throw new Error('the disk is full')
      stored.put.call(kv, key, value)
    }
  }

  /** Ends the object as an eviction does: what it had in memory is lost, and calls in progress fail. */
  async evict(): Promise<void> {
    this.ctx.abort('evicted by a test')
  }
}
