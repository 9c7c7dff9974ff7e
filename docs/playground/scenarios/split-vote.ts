import { scenario } from './scenario.ts'

export const splitVote = scenario(
  'split-vote',
  'Split vote',
  'Three clients ask at the same moment, and each gets some of the nodes, but none gets a majority. The client with the first node leads: it keeps its nodes and asks again, and the others yield.',
  { clients: 3, gap: 0, seed: 5 },
)
