import type { RedlockNamespace } from '../../src/entries/durable-object.ts'
import type { Server } from '../support/nodes.ts'
import type { InspectedNode, Used } from './inspected-node.ts'

export type { Used }

/** The object behind a node, by the name of the node. */
export const objectOf = (namespace: RedlockNamespace, node: { readonly name: string }) =>
  namespace.get(namespace.idFromName(node.name)) as Pick<
    InspectedNode,
    'run' | 'command' | 'rows' | 'alarmAt' | 'failAfter' | 'evict' | 'used'
  >

/** The storage of the object behind a node, as a server that tests read and change. */
export const objectServer = (
  namespace: RedlockNamespace,
  node: { readonly name: string },
): Server => ({
  command: (...words) => objectOf(namespace, node).command(...words),
})
