import type { LockNode, RestNodeOptions } from '../../src/index.ts'

export {
  command,
  freshKey,
  holders,
  overRest,
  type Server,
} from '../../tools/servers/node-commands.ts'

/** The same server under another name, like a database that is configured with two urls. */
export const renamed = (node: RestNodeOptions | LockNode): RestNodeOptions | LockNode =>
  'run' in node
    ? { ...node, name: `twin of ${node.name}` }
    : { ...node, url: 'http://twin.example', fetch: (_, init) => fetch(node.url, init) }
