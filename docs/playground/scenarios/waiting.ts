import { scenario } from './scenario.ts'

export const waiting = scenario(
  'waiting',
  'Waiting',
  'Three clients click, and each waits up to three seconds for the lock. They get it one after the other, each with a higher fencing token.',
  { clients: 3, gap: 20, wait: 3_000, work: 300 },
)
