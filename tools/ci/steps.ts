// Everything that CI runs: `.ci/run` runs `npm ci`, `npm test` and `npm run ci`.
//
// Tests on real servers spend most of their time waiting, but need fast replies: a late reply can cost a lock of 400 ms.
// CPU-bound steps run alongside with the lowest priority (`nice`), and use the remaining time. Their results do not
// depend on the speed of the machine.

/** A command that CI runs. */
export type Step = {
  readonly name: string
  /** The command line, or the name of a group. */
  readonly command: string
  /** The duration on two cores, while the other steps of the group run. */
  readonly minutes: number
  /** The reason for the step, such as the failure that it prevents. */
  readonly why: string
  /** Yields the processor to the steps that run at the same time. */
  readonly isPatient?: true
}

/** Steps that run at the same time. */
export type Group = {
  readonly steps: readonly Step[]
  /** The maximum number of steps that run at the same time. Default: all. */
  readonly atOnce?: number
  /** Whether the steps are groups, which print their own output. */
  readonly isOfGroups?: true
}

/** The groups that `npm test` and `npm run ci` run, one after the other. */
export const plans = {
  test: ['package', 'tests'],
  ci: ['install', 'long', 'chaos'],
} as const

const simulate = (name: string, options: string, minutes: number, why: string): Step => ({
  name: `simulate ${name}`,
  command: `npm run verify -- simulate ${options}`,
  minutes,
  why,
})

const installed = (folder: string, minutes: number, flags = ' --ignore-scripts'): Step => ({
  name: `install ${folder}`,
  command: `node tools/release/install.ts ${folder}${flags}`,
  minutes,
  why: 'steps that run at the same time would install it twice',
})

/** Steps on real servers, which run one at a time. The last one compares times. */
const real: readonly Step[] = [
  {
    name: 'slow',
    command: "vitest run --project 'slow*'",
    minutes: 4.5,
    why: 'the tests that are too slow for npm test: *.slow.test.ts, *.slow.workerd.test.ts',
  },
  {
    name: 'waiting',
    command: 'npm run ci -- waiting',
    minutes: 2,
    why: 'three steps that spend most of their time waiting',
  },
  {
    name: 'bundlers',
    command: 'npm run verify -- --built bundlers',
    minutes: 1.2,
    why: 'a bundler rewrites the package before a runtime sees it',
  },
  {
    name: 'site',
    command: 'vitest run --project site',
    minutes: 0.5,
    why: 'the site is built, its links lead somewhere, and its pages work in a browser',
  },
  {
    name: 'footprint',
    command: 'npm run bench -- footprint',
    minutes: 0.2,
    why: 'what locks leave on a server costs users money',
  },
  {
    name: 'fence',
    command: 'npm run bench -- fence --locks 120',
    minutes: 0.3,
    why: 'a fencing token must not cost a request each time',
  },
  {
    name: 'gateway',
    command: 'npm run bench -- gateway --seconds 15',
    minutes: 1.7,
    why: 'the gateway withstands load, an outage and a shutdown',
  },
]

const waiting: readonly Step[] = [
  {
    name: 'conformance',
    command: 'npm run verify -- conformance',
    minutes: 2,
    why: 'each runtime has a different fetch, timers and crypto',
  },
  {
    name: 'migration',
    command: 'npm run verify -- migration',
    minutes: 0.6,
    why: 'a deployment runs the old library beside this one',
  },
  {
    name: 'frameworks',
    command: 'npm run verify -- frameworks',
    minutes: 1,
    why: 'each Node framework ends a response in a different way',
  },
]

/** Steps in virtual time, the longest first. */
const virtual: readonly Step[] = [
  {
    name: 'mutants',
    command: 'npm run verify -- mutants',
    minutes: 2.6,
    why: 'a simulation that finds nothing proves little, unless it is known to find what is there',
  },
  {
    name: 'types',
    command: 'npm run verify -- --built types --no-build',
    minutes: 1.5,
    why: 'users compile with other versions of TypeScript and other settings',
  },
  {
    name: 'bursts',
    command: 'npm run bench -- virtual',
    minutes: 1.3,
    why: 'how often a burst has one winner, whatever the machine does',
  },
  {
    name: 'explore',
    command: 'npm run verify -- explore',
    minutes: 0.7,
    why: 'every order of events within bounds, where random histories draw only some',
  },
  simulate('mixed', '--histories 20000', 1.1, 'the promises hold under all faults together'),
  {
    name: 'regions',
    command: 'npm run bench -- regions',
    minutes: 0.7,
    why: 'nodes that are far away, in an order that suits only some clients',
  },
  simulate(
    'fresh',
    '--histories 10000 --seed fresh',
    0.4,
    'histories that no earlier run has covered',
  ),
  simulate(
    'requests',
    '--scenario requests --histories 3000',
    0.3,
    'idempotent requests whose processes crash at every step',
  ),
  simulate(
    'once',
    '--scenario once --histories 2000',
    0.3,
    'functions that run once, whose processes crash at every step',
  ),
  simulate(
    'slots',
    '--scenario slots --histories 2000',
    0.2,
    'locks and throttles with several holders',
  ),
  simulate(
    'wake-up',
    '--scenario wake-up --histories 1500',
    0.2,
    'messages to waiters that are lost, late or repeated',
  ),
  simulate('force', '--scenario force --histories 8000', 0.2, 'forced releases of locks'),
  simulate(
    'stalls',
    '--scenario stalls --histories 4000',
    0.5,
    'bursts on a busy machine, whose event loops stand still',
  ),
  {
    name: 'model',
    command: 'npm run verify -- model --if-changed',
    minutes: 0.1,
    why: 'the protocol in all its states; takes 20 minutes after a change to its sources',
  },
]

/** Steps that take too long for every change. A workflow runs them every night, after everything else. */
const night: readonly Step[] = [
  {
    name: 'apps',
    command: 'npm run verify -- apps --rounds 5 --killed --frozen',
    minutes: 40,
    why: 'the frameworks of users, built for production, under contention and faults',
  },
  {
    name: 'explore night',
    command: 'npm run verify -- explore --long --states 1000000 --seed fresh',
    minutes: 60,
    why: 'combinations of faults, of which CI searches one at a time',
  },
  {
    name: 'types night',
    command: 'npm run verify -- types',
    minutes: 4,
    why: 'the builds of frameworks check types again',
  },
  {
    name: 'chaos broken',
    command: 'npm run verify -- chaos --broken all --seed 2 --minutes 2',
    minutes: 2.7,
    why: 'the checker notices clients that are broken on purpose',
  },
  simulate(
    'night',
    '--histories 1000000 --seed fresh',
    60,
    'rare histories that no earlier run has covered',
  ),
  {
    name: 'chaos night',
    command: 'npm run verify -- chaos --minutes 60',
    minutes: 61,
    why: 'rare combinations of faults on real servers',
  },
]

/** The groups, by name. `npm run ci -- NAME` runs one. */
export const groups: Readonly<Record<string, Group>> = {
  package: {
    steps: [
      {
        name: 'docs',
        command: 'npm run docs -- check',
        minutes: 0.3,
        why: 'an example that fails is worse than none',
      },
      {
        name: 'package',
        command: 'npm run release -- check && node tools/release/size.ts',
        minutes: 0.2,
        why: 'what users install: its files, its types, its size. It compiles the build, too',
      },
      {
        name: 'commits',
        command: 'node tools/ci/commits.ts',
        minutes: 0.1,
        why: 'git log --oneline is what a stranger reads first',
      },
    ],
  },
  tests: {
    steps: [
      {
        name: 'fast',
        command: "vitest run --project 'node*' --project workerd",
        minutes: 1.5,
        why: 'the tests, six files at a time, on Node and inside workerd',
      },
      {
        name: 'lint',
        command: 'npm run lint',
        minutes: 1.5,
        why: 'mistakes, formatting, and dead files, exports and dependencies',
        isPatient: true,
      },
      {
        name: 'types',
        command: 'tsc -p tsconfig.json',
        minutes: 0.7,
        why: 'the types of tests and tools',
        isPatient: true,
      },
    ],
  },
  install: {
    steps: [
      {
        name: 'build',
        command: 'npm run build',
        minutes: 0.2,
        why: 'the later steps find the build, and none of them replaces it',
      },
      installed('verification', 0.6, ''),
      installed('bench', 0.4, ''),
      installed('verification/bundlers', 0.9),
      installed('docs', 0.6),
      installed('verification/frameworks', 0.6),
      installed('verification/runtimes', 0.8),
      installed('verification/types', 0.9),
    ],
  },
  long: {
    isOfGroups: true,
    steps: [
      {
        name: 'real',
        command: 'npm run ci -- real',
        minutes: 9,
        why: 'tests and benches on real servers, and browsers',
      },
      {
        name: 'virtual',
        command: 'npm run ci -- virtual',
        minutes: 9,
        why: 'what only computes',
        isPatient: true,
      },
    ],
  },
  real: { steps: real, atOnce: 1 },
  waiting: { steps: waiting },
  virtual: { steps: virtual, atOnce: 2 },
  night: { steps: night, atOnce: 1 },
  // This group runs alone, because the checker ignores everything that happens while the machine is busy.
  chaos: {
    steps: [
      {
        name: 'chaos',
        command: 'npm run verify -- chaos',
        minutes: 1.6,
        why: 'real servers, clocks, packets and clients that fail',
      },
    ],
  },
}
