import type { LockNode } from '../../protocol/node.ts'
import {
  assertOption,
  checkChoice,
  checkFunction,
  checkInteger,
  checkNumber,
  checkOptions,
} from '../../util/validate.ts'
import { type Bench, benchOf, type SuiteState } from './node-suite/bench.ts'
import { allFeatures, type Feature } from './node-suite/features.ts'
import { randomFrom } from './node-suite/random.ts'
import {
  aheadOf,
  checkSteady,
  type Offset,
  readClock,
  testClock,
} from './node-suite/tests/clock.ts'
import { testConcurrency } from './node-suite/tests/concurrency.ts'
import { testExpiry, testFenceLife } from './node-suite/tests/expiry.ts'
import { testRandomSequences } from './node-suite/tests/random-sequences.ts'
import { testAbort, testUnknownCommands } from './node-suite/tests/requests.ts'
import { type Restart, testRestart } from './node-suite/tests/restart.ts'
import * as scenarios from './node-suite/tests/scenarios.ts'
import { tenKeys, textsFor } from './node-suite/tests/texts.ts'
import { guardOf, testAbstention } from './node-suite/tests/volatile.ts'

/** Options of `testNode`. */
export type TestNodeOptions = {
  /**
   * Opens another node on the same store, with a separate connection and preferably in a separate process. Without this
   * option, the suite does not test whether commands from several connections are atomic.
   */
  readonly connect?: () => LockNode | Promise<LockNode>
  /** The number of nodes that `connect` opens. Default: 3. */
  readonly connections?: number
  /**
   * Restarts the store as after a crash, and resolves to a node on the restarted store. This function runs last, so
   * earlier nodes can stop working. Without it, the suite does not test whether the store preserves acknowledged
   * writes.
   */
  readonly restart?: () => LockNode | Promise<LockNode>
  /**
   * The features to test in addition to locks and throttles. `slots`: calls with a `limit`. `records`: idempotent
   * requests and `once`. `force`: `forceRelease`. Default: all.
   */
  readonly features?: readonly ('slots' | 'records' | 'force')[]
  /** The number of random sequences of commands to compare. Default: 100. */
  readonly sequences?: number
  /** The seed of the random numbers, which failure messages contain. Default: a new seed for each run. */
  readonly seed?: number
  /** The time after which a command counts as hanging, in ms. Default: 10,000. */
  readonly timeout?: number
}

/** The result of `testNode`. */
export type TestNodeReport = {
  /** The seed of the random numbers. */
  readonly seed: number
  /** The names of the tests that the node passed, such as `tombstones`. */
  readonly passed: readonly string[]
  /** The tests that did not run, each with the reason, such as a missing option. */
  readonly skipped: readonly { readonly test: string; readonly reason: string }[]
}

/** The options of the tests, complete with defaults. */
type Settings = {
  readonly features: readonly Feature[]
  readonly sequences: number
  readonly connections: number
  readonly connect: TestNodeOptions['connect']
  readonly restart: Restart | undefined
}

/** A test, and the reason to skip it, if any. */
type Test = readonly [
  name: string,
  run: (bench: Bench) => Promise<unknown>,
  reasonToSkip?: string | undefined,
]

/** Creates a test that compares a scenario with the reference. */
const comparing = (name: string, scenario: scenarios.Scenario, reasonToSkip?: string): Test => [
  name,
  (bench) => scenarios.testScenario(bench, scenario),
  reasonToSkip,
]

/** The reason to skip the test of a feature, if any. */
const withoutFeature = (features: readonly Feature[], feature: Feature): string | undefined =>
  features.includes(feature) ? undefined : `\`features\` lacks '${feature}'`

/** The tests in order. Simple tests come first, because their failures are easier to understand. */
const testsOf = (node: LockNode, prefix: string, settings: Settings): readonly Test[] => {
  const { features, sequences, connect, connections, restart } = settings
  const { volatile } = node
  const guard = volatile && guardOf(`${prefix}run`, volatile)
  const tests: Test[] = [
    ['unknown commands', testUnknownCommands],
    ['clock', testClock],
    comparing('locks', scenarios.lockScenario),
    comparing('fences', scenarios.fences),
    comparing('tombstones', scenarios.tombstones),
    comparing('foreign data', scenarios.foreignData),
    comparing('slots', scenarios.slotScenario, withoutFeature(features, 'slots')),
    comparing('records', scenarios.recordScenario, withoutFeature(features, 'records')),
    comparing('forced release', scenarios.forcedRelease, withoutFeature(features, 'force')),
    ['ten keys', (bench) => scenarios.testScenario(bench, tenKeys, [1])],
    ['texts', (bench) => scenarios.testScenario(bench, textsFor(features), [1])],
    ['expiry', testExpiry],
    ['fence life', testFenceLife],
    ['random sequences', (bench) => testRandomSequences(bench, sequences, features)],
    ['abort', testAbort],
    ['concurrency', (bench) => testConcurrency(bench, [bench.node], features)],
    [
      'connections',
      async (bench) => {
        const others = Array.from({ length: connections }, async () => connect!())
        await testConcurrency(bench, [bench.node, ...(await Promise.all(others))], features)
      },
      connect ? undefined : '`connect` is missing',
    ],
  ]
  if (guard) tests.push(['restart guard', (bench) => testAbstention(bench, guard)])
  tests.push([
    'restart',
    async (bench) =>
      guard
        ? testAbstention(bench, guard, await restart!())
        : testRestart(bench, restart!, features),
    restart ? undefined : '`restart` is missing',
  ])
  return tests
}

const checkFeatures = (option: string, features: readonly string[]): void => {
  assertOption(Array.isArray(features), option, 'an array', features)
  for (const feature of features) checkChoice(...allFeatures)(option, feature)
}

const checkCount = (option: string, count: number): void => checkInteger(option, count, 1)

const readOptions = (options: TestNodeOptions): TestNodeOptions =>
  checkOptions('testNode()', options, {
    connect: checkFunction,
    connections: checkCount,
    restart: checkFunction,
    features: checkFeatures,
    sequences: checkCount,
    seed: (option: string, seed: number) => checkInteger(option, seed, 0),
    timeout: (option: string, timeout: number) => checkNumber(option, timeout, 1),
  })

/**
 * Tests your own node, with or without a test framework. The suite compares replies with the protocol, lets keys
 * expire, varies the clocks of clients, repeats commands, and lets many callers compete. With `connect`, they compete
 * over several connections. With `restart`, the store must preserve acknowledged writes.
 *
 * Use a separate store, because the tests leave keys that begin with `test:`.
 *
 * @returns the tests that passed, and the tests that were skipped, each with a reason.
 * @throws `Error` at the first test that fails. The message contains the problem, the seed, the commands and the
 *   replies.
 * @throws `TypeError` or `RangeError` if an argument is wrong.
 * @example
 * ```ts
 * const { skipped } = await testNode(storeNode(await open()), {
 *   connect: async () => storeNode(await open()),
 *   restart: async () => {
 *     await killAndStartAgain()
 *     return storeNode(await open())
 *   },
 * })
 * console.log(skipped) // [] if every test ran
 * ```
 */
export const testNode = async (
  node: LockNode,
  options: TestNodeOptions = {},
): Promise<TestNodeReport> => {
  assertOption(typeof Object(node).run === 'function', 'node', 'a node with `run`', node)
  const {
    seed = Math.floor(Math.random() * 2 ** 31),
    timeout = 10_000,
    ...more
  } = readOptions(options)
  const { features = allFeatures, sequences = 100, connections = 3, connect, restart } = more
  const prefix = `test:${crypto.randomUUID().slice(0, 8)}:`
  const shared: SuiteState = {
    node,
    random: randomFrom(seed),
    seed,
    prefix,
    timeout,
    seen: { slowest: 0, ahead: 0 },
  }
  const settings = { features, sequences, connections, connect, restart }
  const passed: string[] = []
  const skipped: TestNodeReport['skipped'][number][] = []
  let clock: Offset | undefined
  for (const [test, run, reason] of testsOf(node, prefix, settings)) {
    const bench = benchOf(shared, test)
    if (reason === undefined) {
      await run(bench)
      passed.push(test)
    } else skipped.push({ test, reason })
    // The clock is read after each test, because it can jump at any time. After the restart, the node may no longer
    // work.
    if (test === 'restart') continue
    clock = checkSteady(bench, clock, await readClock(bench))
    shared.seen.ahead = aheadOf(clock)
  }
  return { seed, passed, skipped }
}
