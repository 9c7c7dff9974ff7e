import { scenario } from './scenario.ts'

export const hangingNode = scenario(
  'hanging-node',
  'One node hangs',
  'The double click again, but node 1 takes requests and never answers. The other four nodes still have a majority, and no client waits for node 1 any longer than for the others.',
  { actions: [{ at: 0, kind: 'hang', node: 0 }] },
)
