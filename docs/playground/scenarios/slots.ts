import { scenario } from './scenario.ts'

export const slots = scenario(
  'slots',
  'Three seats',
  'A lock with a limit of three has three slots, and each slot is a lock of its own. Six clients click: three of them get a seat, the house is full, and the others wait until a seat comes free. Each seat has one holder, whichever nodes fail.',
  { clients: 6, gap: 15, wait: 3_000, limit: 3, work: 400 },
)
