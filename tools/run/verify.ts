import { type Member, runFamily } from './family.ts'
import { build, compile, install, installQuietly } from './steps.ts'

// `npm run verify`: evidence that the package is correct. verification/README.md describes each member.

const inVirtualTime: readonly Member[] = [
  {
    name: 'simulate',
    description: 'the client with simulated faults, in virtual time',
    takes:
      '--histories 1000000 --seed 7|fresh --scenario mixed|requests|... --trace --times --coverage --json',
    run: ['node', 'verification/simulation/main.ts'],
  },
  {
    name: 'golden',
    description: 'one hash over the traces of many histories, which a refactoring must not change',
    takes: '--histories 1000 --scenario mixed|... --json',
    run: ['node', 'verification/simulation/golden.ts'],
  },
  {
    name: 'mutants',
    description: 'removes one safeguard at a time; the simulation must notice each',
    takes: "--only 'its name' --write --json",
    run: ['node', 'verification/mutants/main.ts'],
  },
  {
    name: 'explore',
    description: 'searches the states of the real client and nodes, within bounds',
    takes:
      '--world click --long --states 1000000 --seed 7|fresh --mutants --only "its name" --write --json',
    run: ['node', 'verification/explore/main.ts'],
  },
  {
    name: 'model',
    description: 'searches the states of the protocol with SPIN',
    takes: '--size long --only CHECK --trace CHECK --jobs 2 --if-changed --json',
    run: ['node', 'verification/model/main.ts'],
  },
]

const onRealServers: readonly Member[] = [
  {
    name: 'chaos',
    description: 'real clients, servers and faults; a checker reads the history of every lock',
    takes: '--minutes 5 --seed 7 --broken all --history FILE --out FILE --proxy --no-clocks --json',
    run: ['node', 'verification/chaos/main.ts'],
  },
  {
    name: 'chaos-report',
    description: 'writes verification/reports/chaos.md from the output of chaos --out',
    before: [install('verification'), install('bench'), compile('bench')],
    run: ['node', 'bench/report/chaos.ts'],
  },
  {
    name: 'conformance',
    description: 'one suite on ten runtimes and three Node servers',
    takes: '--only Bun --write --json',
    before: [installQuietly('verification/runtimes'), compile('verification/runtimes')],
    run: ['node', 'verification/runtimes/main.ts'],
  },
  {
    name: 'frameworks',
    description: 'edge-redlock/node: each event, framework and protocol over real connections',
    takes: 'options of vitest run',
    before: [installQuietly('verification/frameworks'), compile('verification/frameworks')],
    run: ['vitest', 'run', '--config', 'verification/frameworks/vitest.config.ts'],
  },
  {
    name: 'migration',
    description:
      'checks that published libraries and this one exclude each other on the same servers',
    takes: 'options of vitest run',
    before: [install('verification'), compile('verification/migration')],
    run: ['vitest', 'run', '--config', 'verification/migration/vitest.config.ts'],
  },
  {
    name: 'rivals',
    description: 'how other locks behave with the same faulty servers',
    takes: '--only 3 --write --json',
    before: [install('verification'), compile('verification/comparison')],
    run: ['node', 'verification/comparison/main.ts'],
  },
  {
    name: 'idempotent-rivals',
    description: 'how other libraries for idempotent requests behave with the same faults',
    takes: '--only 3 --write --json',
    before: [install('verification'), compile('verification/idempotent-rivals')],
    run: ['node', 'verification/idempotent-rivals/main.ts'],
  },
]

const inProjectsOfUsers: readonly Member[] = [
  {
    name: 'types',
    description: 'compiles user projects against the packed package, with TypeScript 5.7 to 7',
    takes: '--only next --json',
    build,
    before: [installQuietly('verification/types'), compile('verification/types')],
    run: ['node', 'verification/types/main.ts'],
  },
  {
    name: 'bundlers',
    description:
      'builds the packed package with ten bundlers, and runs each build under contention',
    takes: '--only next --write --json',
    build,
    before: [installQuietly('verification/bundlers')],
    run: ['node', 'verification/bundlers/main.ts'],
  },
  {
    name: 'apps',
    description:
      'builds apps of nine frameworks, and sends 20 simultaneous duplicates to two processes of each',
    takes:
      '--only nuxt --handler redirect --rounds 2 --killed --frozen --package FILE --built --write --json',
    before: [installQuietly('verification/apps/projects')],
    run: ['node', 'verification/apps/main.ts'],
  },
]

await runFamily({
  name: 'verify',
  description: 'Look for defects of the package',
  members: [...inVirtualTime, ...onRealServers, ...inProjectsOfUsers],
})
