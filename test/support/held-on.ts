import { expect } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { eventually } from './eventually.ts'
import { holders, overRest } from './nodes.ts'

/** Which nodes hold a lock, by a look behind the client. */
export const heldOn = (nodes: readonly RestNodeOptions[]) => {
  const behind = overRest(nodes)
  /** The owner of the lock on each node; null for none. */
  const heldBy = (key: string, prefix = 'lock:'): Promise<unknown[]> =>
    holders(behind, `${prefix}l:${key}`)
  return {
    behind,
    heldBy,
    /** Waits until no node holds the lock. */
    noneLeft: (key: string, prefix?: string): Promise<void> =>
      eventually(async () => expect(await heldBy(key, prefix)).toEqual(nodes.map(() => null))),
  }
}
