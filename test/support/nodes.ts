import type { LockNode, RestNodeOptions } from '../../src/index.ts'

export {
  command,
  freshKey,
  holders,
  overRest,
  type Server,
} from '../../tools/servers/node-commands.ts'

/** A second node of the same server under another name, such as another url of one database. */
export const renamed = (node: RestNodeOptions | LockNode): RestNodeOptions | LockNode =>
  'run' in node
    ? { ...node, name: `alias of ${node.name}` }
    : { ...node, url: 'http://alias.example', fetch: (_, init) => fetch(node.url, init) }

/** The node with a scope, by which the isolate remembers it. */
export const scoped = (node: LockNode, scope: string): LockNode => ({ ...node, scope })
