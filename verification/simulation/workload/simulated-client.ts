import {
  type Lock,
  type LockEvent,
  quarantine,
  Redlock,
  type SlotRedlock,
} from '../../../src/index.ts'
import { heldUntil } from '../../history/holds.ts'
import type { Operation } from '../../history/operation.ts'
import { checkSecrets } from '../checks/secret-check.ts'
import { drawClockRate, type Process, startProcess } from '../engine/process.ts'
import { hasAccurateClocks } from './fault-rates.ts'
import { validUntil } from './hold.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

const coverageOfEvent: Partial<Record<LockEvent['type'], string>> = {
  split: 'split vote',
  lost: 'lost lock',
  extended: 'extend',
  'duplicate-node': 'two nodes are one server',
}

/** Formats an event with its whole payload, independently of the order of properties. */
const describe = (event: LockEvent): string =>
  JSON.stringify(event, function (this: Record<string, unknown>, key, value: unknown) {
    // Read the original value, because `value` is the result of `toJSON`.
    const { [key]: original } = this
    if (original instanceof Error) return original.message
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  })

/** Records until when a client holds its locks, after an event that can change this. */
const updateHolds = (
  scenario: Scenario,
  process: Process,
  held: ReadonlyMap<Operation, Lock>,
  isExtended: boolean,
): void => {
  const { loop, rates, recorder } = scenario
  for (const [hold, lock] of held) {
    if (isExtended && lock.held) {
      // If a wall clock jumps forward and back again, the validity can end only temporarily.
      const isSteady = hasAccurateClocks(rates) && rates.processJumps === 0
      // Wall clocks have a resolution of one millisecond.
      if (isSteady && loop.now() > heldUntil(hold) + 2) {
        recorder.violated('validity', `${process.name} extended a lock whose validity had ended`)
      }
      recorder.say(hold, { type: 'extended', validUntil: validUntil(scenario, process, lock) })
      loop.trace.say(() => `${process.name} holds on until ${heldUntil(hold).toFixed(1)}`)
    } else if (!lock.held) recorder.say(hold, { type: 'lost' })
  }
}

/** Starts a process with a client. `extend` adds features beyond the core, such as slots. */
export const startClient = (
  scenario: Scenario,
  name: string,
  extend: (redlock: Redlock) => Redlock = (redlock) => redlock,
): SimulatedClient => {
  const { loop, rates, network, recorder, urls, token, options, maxTtl, pace } = scenario
  const own = loop.random.fork(`client ${name}`)
  const started = startProcess(loop, name, {
    rate: drawClockRate(own, rates, options.driftFactor),
    skew: rates.skew * own.between(-0.5, 0.5),
  })
  const process = scenario.stalls?.through(started) ?? started
  const held = new Map<Operation, Lock>()
  const fetch = network.fetchOf(process)
  const { nodeTimeout, concurrency, driftFactor, fenceTtl, ...rest } = options
  const strategy = own.pick(['parallel', 'parallel', 'frugal'] as const)
  const redlock = new Redlock({
    ...rest,
    ...(nodeTimeout !== undefined && { nodeTimeout }),
    nodes: urls.map((url) => ({ url, token, fetch, volatile: rates.volatile && quarantine() })),
    ...(rates.volatile && { maxTtl }),
    strategy,
    advanced: {
      driftFactor,
      ...(fenceTtl !== undefined && { fenceTtl }),
      ...(concurrency !== undefined && { concurrency }),
      clock: process.clock,
      random: process.random.unit,
    },
    onEvent: (event) => {
      loop.trace.say(() => `${name} tells ${describe(event)}`)
      const coverage = coverageOfEvent[event.type]
      if (coverage) recorder.covered(coverage)
      checkSecrets(scenario, `event ${event.type}`, event)
      updateHolds(scenario, process, held, event.type === 'extended')
    },
  })
  return {
    process,
    // A scenario without slots sets no limit.
    redlock: extend(
      redlock.withClient({ ...redlock.client(), pace, makeValue: scenario.valuesOfProcess() }),
    ) as SlotRedlock,
    strategy,
    held,
    background: [],
    hasAbandonedLock: false,
  }
}
