import { clockJump, clockNudge } from '../campaign/settings.ts'
import type { Fault } from './fault.ts'

const descriptions: Readonly<Record<Fault['kind'], string>> = {
  'redis killed':
    '`kill -9` of a server that has written everything to disk, and a restart later on',
  'volatile redis killed':
    '`kill -9` of one or both servers without persistence, which abstain for 11 s after the restart',
  'redis paused': 'SIGSTOP, later SIGCONT: the server then executes all requests sent meanwhile',
  'gateway killed': '`kill -9` of the gateway of a server, and a restart later on',
  'gateway paused': 'SIGSTOP, later SIGCONT',
  'gateway errors': 'some or all requests are answered with a 5xx, half of them after execution',
  'gateway slow bodies': 'the second half of each body arrives up to 0.9 s after the first',
  'gateway runs requests twice': 'some requests are executed again, up to 3 s later',
  'connections reset': 'existing and new connections, of all clients or some',
  delay: 'of up to 0.4 s each way, for all clients or some',
  loss: 'of up to 40 % each way, for all clients or some',
  partition: 'nothing arrives, for all clients or some; TCP retransmits it afterwards',
  'replies held': 'requests arrive, and replies do not',
  'clock nudged': `the clock of a server is stepped by up to ${clockNudge} ms, and back: all guarantees hold`,
  'clock jumps': `the clock of a server is stepped by up to ${clockJump[1] / 1000} s, and back: all guarantees hold but exclusion, at the moment of a jump ahead`,
  'client killed': '`kill -9` of a process of clients, as soon as one of them holds a lock',
  'client paused':
    'SIGSTOP of a process of clients for up to 4.5 s, with locks that live for 2 s; then SIGCONT',
}

/** Describes a kind of fault for a report. */
export const describeFault = (kind: Fault['kind']): string => descriptions[kind]
