import { type Member, runFamily } from './family.ts'
import { build, compile, install } from './steps.ts'

// `npm run bench`: measures times, on real servers or in virtual time. Only bench/package.json and
// verification/package.json depend on other libraries.

const before = [install('verification'), install('bench'), compile('bench')]

/** A benchmark that compares libraries. */
const beside = (name: string, description: string, takes: string): Member => ({
  name,
  description,
  takes,
  before,
  run: ['node', `bench/${name}/main.ts`],
})

const members: readonly Member[] = [
  beside(
    'contention',
    'bursts on one lock, and waiting for it, beside other libraries',
    '--bursts 1000 --rival-bursts 100 --sizes 2,50 --waiters 20 --turns 5 --handing-on 5 --seconds 30 --json',
  ),
  beside(
    'cpu',
    'processor time and memory of a lock, over nodes that answer at once',
    '--seconds 5 --repeat 7 --locks 1000 --json',
  ),
  {
    name: 'fence',
    description: 'how often a fencing token costs a request',
    takes: '--locks 300 --contenders 6 --json',
    run: ['node', 'bench/fence/main.ts'],
  },
  beside(
    'footprint',
    'bytes that locks and throttles leave on a server, and a million locks a day, beside other libraries',
    '--samples 500 --json',
  ),
  {
    name: 'gateway',
    description: 'the gateway under load, in an outage, and when it is shut down',
    takes: '--seconds 30 --json',
    before: [install('verification'), compile('verification/gateway-load')],
    run: ['node', 'verification/gateway-load/main.ts'],
  },
  beside(
    'http',
    'what the middleware costs a handler on workerd, and a bare Worker that sends the same requests',
    '--seconds 5 --rounds 9 --json',
  ),
  beside(
    'latency',
    'an acquire against the quorum-th fastest reply of its nodes',
    '--acquires 1000 --json',
  ),
  {
    name: 'objects',
    description: 'a lock over Durable Objects compared with one over REST nodes, on workerd',
    takes: '--locks 1000 --json',
    run: ['node', 'bench/objects/main.ts'],
  },
  {
    name: 'regions',
    description: 'clients and nodes in five regions, with the node of each first, in virtual time',
    takes: '--first eu-west-1 --bursts 1000 --json',
    run: ['node', 'bench/regions/main.ts'],
  },
  beside(
    'requests',
    'the commands of an acquire, a rejection and a throttle',
    '--cycles 10 --json',
  ),
  beside(
    'sick',
    'bursts and double clicks of fresh clients, with one node that hangs or is late',
    '--only-own --bursts 100 --rival-bursts 10 --sizes 2,5 --json',
  ),
  {
    name: 'size',
    description: 'the size of this package and of others in a bundle',
    takes: '--json',
    build,
    before,
    run: ['node', 'bench/size/main.ts'],
  },
  {
    name: 'virtual',
    description: 'bursts and waiting in virtual time, the same figures in every run',
    takes: '--seed 2 --sizes 2,5 --json',
    run: ['node', 'bench/virtual/main.ts'],
  },
  beside(
    'report',
    'writes verification/reports/benchmarks.md; with --run, measures first',
    '--run all|cpu|... --quick',
  ),
]

await runFamily({ name: 'bench', description: 'Measure time, requests and memory', members })
