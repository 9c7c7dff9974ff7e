import { scenario } from './scenario.ts'

export const nodeDown = scenario(
  'node-down',
  'One node is down',
  'The double click again, but requests to node 2 fail. Take down one node more, and there is still one winner. With three nodes down, nobody gets the lock.',
  { actions: [{ at: 0, kind: 'kill', node: 1 }] },
)
