import { assertOption, checkFunction } from '../util/validate.ts'
import { checkText } from '../protocol/keys.ts'
import { acceptsNoRunId, type LockNode } from './node.ts'
import { isClient, restNode, type RestNodeOptions } from './rest-node.ts'

/** Whether it is a node. A client of Redis has other methods beside `eval`, and `restNode` names what to do. */
const isNode = (node: object): boolean => 'eval' in node && !isClient(node)

/**
 * The nodes of a `Redlock`, checked, in the order of their names. That order is the same for every client,
 * in whatever order each lists its nodes.
 *
 * @throws `TypeError` that names the node and its option.
 */
export const resolveNodes = (
  nodes: readonly (RestNodeOptions | LockNode)[],
): readonly LockNode[] => {
  const isList = Array.isArray(nodes) && nodes.length > 0
  assertOption(isList, 'nodes', 'an array of { url, token }', nodes)
  const resolved = Array.from(nodes, (node, index) =>
    isNode(Object(node) as object)
      ? (node as LockNode)
      : restNode(node as RestNodeOptions, `nodes[${index}]`),
  )
  for (const { name, eval: run, volatile = false } of resolved) {
    checkText('name', name, 1)
    checkFunction('eval', run)
    const fits = volatile === acceptsNoRunId || typeof volatile === 'boolean'
    assertOption(fits, 'volatile', `true, false or '${acceptsNoRunId}'`, volatile)
  }
  return resolved.sort((a, b) => {
    // Equal names end up as neighbours, and no sort can order neighbours without comparing them.
    const twice = `${a.name} twice`
    assertOption(a.name !== b.name, 'nodes', 'independent servers', nodes, twice)
    return a.name < b.name ? -1 : 1
  })
}
