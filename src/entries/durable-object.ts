/**
 * Durable Objects as nodes, for locks that need nothing but a Cloudflare Worker.
 *
 * @module edge-redlock/durable-object
 */
export {
  durableObjectNodes,
  type DurableObjectNodesOptions,
  type ObjectLocation,
  type RedlockNamespace,
} from '../durable-object/durable-object-nodes.ts'
export { RedlockNode } from '../durable-object/redlock-node.ts'
