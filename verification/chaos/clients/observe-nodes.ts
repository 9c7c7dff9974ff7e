import { type LockNode, quarantine, restNode } from '../../../src/index.ts'
import { boundedMap } from '../../../src/util/bounded-map.ts'
import { nodeThrough } from '../../../tools/node-through.ts'
import type { ClientSettings } from '../campaign/settings.ts'

/** The nodes of a client process, and their grants. */
export type ObservedNodes = {
  readonly nodes: readonly LockNode[]
  /** The indices of the nodes whose last reply granted the lock with this value. */
  readonly grantsOf: (value: string) => number[]
}

// This is enough for far more locks than are held simultaneously.
const [maxBytes, grantBytes] = [2 ** 20, 400]

/**
 * Creates the nodes, and inspects each request and each reply in transit.
 *
 * @param onExtend - Called with the value of a lock before a request to extend it is sent.
 */
export const observeNodes = (
  options: ClientSettings['nodes'],
  onExtend: (value: string) => void,
): ObservedNodes => {
  const grants = boundedMap<Set<number>>(maxBytes)
  const nodes = options.map(({ url, token, isVolatile }, index): LockNode => {
    const node = restNode({ url, token, volatile: isVolatile && quarantine() })
    const observed = nodeThrough(node, async ({ command }, send) => {
      if (command.op === 'extend') onExtend(command.value)
      const reply = await send()
      if (command.op === 'acquire' || command.op === 'extend') {
        const { value } = command
        const { status } = reply
        const granted = grants.get(value) ?? new Set()
        if (status === 'granted') granted.add(index)
        else granted.delete(index)
        grants.set(value, granted, grantBytes)
      }
      return reply
    })
    return { ...node, ...observed }
  })
  return { nodes, grantsOf: (value) => [...(grants.get(value) ?? [])].sort((a, b) => a - b) }
}
