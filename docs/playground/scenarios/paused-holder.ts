import { scenario } from './scenario.ts'

export const pausedHolder = scenario(
  'paused-holder',
  'A paused holder',
  'Client 1 checks its lock and is then paused, right before its write, until the lock has expired. Client 2 gets the lock and writes. Then client 1 resumes and writes, too late: the store refuses the write, because its fencing token is too low.',
  {
    clients: 1,
    ttl: 2_000,
    work: 500,
    actions: [
      { at: 340, kind: 'pause', client: 0, time: 2_600 },
      { at: 2_200, kind: 'click' },
    ],
  },
)
