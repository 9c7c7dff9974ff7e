import { scenario } from './scenario.ts'

export const crowd = scenario(
  'crowd',
  'Crowd of ten',
  'Ten clients want the same lock at the same moment. The votes of the nodes are split among them, and still exactly one wins. All others are refused after few requests.',
  { clients: 10, gap: 0 },
)
