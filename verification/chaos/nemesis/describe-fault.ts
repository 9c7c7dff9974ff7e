import { leap, nudge } from '../campaign/settings.ts'
import type { Fault } from './fault.ts'

/** What each fault is, for those who read of it. */
export const about: Readonly<Record<Fault['kind'], string>> = {
  'redis killed': '`kill -9` of a server that has written everything to disk; started again later',
  'volatile redis killed':
    '`kill -9` of a server without persistence, which then abstains for 11 s; or of both',
  'redis paused': 'SIGSTOP, later SIGCONT: then it does all that it was asked meanwhile',
  'gateway killed': '`kill -9` of the gateway of a server; started again later',
  'gateway paused': 'SIGSTOP, later SIGCONT',
  'gateway errors': 'some requests or all are answered 5xx, half of those after they have been run',
  'gateway slow bodies': 'the second half of each answer comes up to 0.9 s after the first',
  'gateway runs requests twice': 'some are run once more, up to 3 s later',
  'connections reset': 'all of them, and new ones, for all clients or for some',
  delay: 'up to 0.4 s each way, for all clients or for some',
  loss: 'of up to 40 % each way, for all clients or for some',
  partition: 'nothing arrives, for all clients or for some; TCP sends it again when that is over',
  'replies held': 'requests arrive, and answers do not',
  'clock nudged': `the clock of a server is stepped by up to ${nudge} ms, and back: nothing may come of it`,
  'clock leaps': `by up to ${leap[1] / 1000} s, and back: no exclusion at the moment that it leaps ahead, all else as ever`,
  'client killed':
    '`kill -9` of a whole process of clients, once one of them is seen to hold a lock',
  'client paused':
    'SIGSTOP of a process of clients for up to 4.5 s, where its locks live for 2 s; then SIGCONT',
}
