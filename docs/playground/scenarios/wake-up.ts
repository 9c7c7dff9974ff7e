import { scenario } from './scenario.ts'

export const wakeUp = scenario(
  'wake-up',
  'Woken by a message',
  'Three clients click, and two of them wait. Each waiter opens a stream to node 1, and joins a queue there. The release of the lock sends a message to the first of the queue, which tries at once. Kill node 1 while they wait: then they ask again and again.',
  { clients: 3, gap: 20, wait: 5_000, work: 1_000, waiting: 'wake' },
)
