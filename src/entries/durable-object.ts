/**
 * Durable Objects as nodes: a lock that needs only a Worker. For Cloudflare Workers only.
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
