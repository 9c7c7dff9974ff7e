import type { Server } from '../engine/server.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import { checkAlone, type HeldRun } from './held-run.ts'
import { recordOn } from './record-on.ts'
import type { Operation } from '../../history/operation.ts'

/** One run of the function. All times are simulated, in ms. */
export type OnceRun = HeldRun & {
  readonly beganAt: number
  /** When the function returned; undefined before, and if the function throws. */
  endedAt: number | undefined
  /** When a call first received the value; Infinity until then. */
  seenAt: number
  /** Whether the claim was lost before the value was recorded. */
  wasLost: boolean
}

/** One call of `once`. */
export type OnceCall = {
  readonly client: SimulatedClient
  readonly keepFor: number
  readonly wait: number
  readonly calledAt: number
  /** The run of this call, if it ran the function. */
  run?: OnceRun
  /** The value that the call returned. */
  content?: string
}

/** One call of `forget`. */
type Forgetting = {
  readonly calledAt: number
  /** Infinity until the call ends, and if its process died. */
  endedAt: number
  /** Whether every node has deleted the value. */
  isComplete: boolean
}

/** Logs the calls for one key, and checks each call as it happens. */
export type OnceLog = {
  readonly runs: readonly OnceRun[]
  readonly calls: readonly OnceCall[]
  readonly forgets: readonly Forgetting[]
  readonly called: (call: Pick<OnceCall, 'client' | 'keepFor' | 'wait'>) => OnceCall
  readonly begin: (call: OnceCall, hold: Operation) => OnceRun
  /** Records that the function of a run returned. */
  readonly returned: (run: OnceRun) => void
  /** Records that a call returned a value. */
  readonly got: (call: OnceCall, content: string) => void
  readonly forget: () => Forgetting
}

/** The key of all calls. */
export const onceName = 'work'

/** The minimum ms for which the nodes keep a value. */
export const minLife = 500

// Server clocks have a resolution of one millisecond, and timers fire up to one millisecond early.
const tolerance = 3

/** The value on a server; undefined if there is none. */
const valueOn = (server: Server): unknown => {
  const content = recordOn(server, `once:${onceName}`)
  if (!content?.startsWith('{')) return undefined
  return JSON.parse(atob((JSON.parse(content) as { body: string }).body))
}

export const makeOnceLog = (scenario: Scenario): OnceLog => {
  const { recorder, servers, quorum, loop, options, rates } = scenario
  const { violated } = recorder
  const runs: OnceRun[] = []
  const calls: OnceCall[] = []
  const forgets: Forgetting[] = []
  const isForgotten = (run: OnceRun, until: number): boolean =>
    forgets.some(({ calledAt, endedAt }) => endedAt >= run.beganAt && calledAt <= until)
  /** Whether the nodes must hold the value of a run at this moment. */
  const isKept = (run: OnceRun, life: number): boolean =>
    run.endedAt !== undefined &&
    loop.now() < run.endedAt + life * (1 - options.driftFactor) - tolerance &&
    !isForgotten(run, loop.now())
  /** The run whose value a call must return: another call returned it before, and the nodes still keep it. */
  const standing = ({ keepFor, calledAt }: OnceCall): OnceRun | undefined =>
    runs.find((run) => run.seenAt < calledAt && isKept(run, keepFor))

  const checkValue = (call: OnceCall, run: OnceRun): void => {
    const { content } = run
    const { calledAt, keepFor } = call
    const { name } = call.client.process
    const other = standing(call)
    if (other && other !== run) {
      violated('one value', `${name} got ${content}, while ${other.content} is kept`)
    }
    const count = servers.filter((server) => valueOn(server) === content).length
    if (count < quorum && isKept(run, Math.max(keepFor, minLife))) {
      violated('majority', `${name} got ${content}, which ${count} servers have`)
    }
    const isGivenUp = forgets.some(
      (one) => one.isComplete && calledAt > one.endedAt && run.beganAt < one.calledAt,
    )
    // A process that paused while it repaired the record can restore a deleted value.
    if (isGivenUp && rates.pauses === 0) {
      violated('forgotten', `${name} got ${content}, which was given up before`)
    }
  }

  return {
    runs,
    calls,
    forgets,
    called: (what) => {
      const call = { ...what, calledAt: loop.now() }
      calls.push(call)
      return call
    },
    begin: (call, hold) => {
      checkAlone(scenario, runs)
      const isAfterCrash = runs.some((before) => !before.client.process.isAlive())
      if (isAfterCrash) recorder.covered('once: ran again after a crash')
      const kept = standing(call)
      if (kept) violated('kept', `${hold.process} runs, while ${kept.content} is kept`)
      const run: OnceRun = {
        content: `value-${runs.length + 1}`,
        client: call.client,
        hold,
        beganAt: loop.now(),
        endedAt: undefined,
        seenAt: Infinity,
        wasLost: false,
      }
      runs.push(run)
      call.run = run
      return run
    },
    returned: (run) => {
      run.endedAt = loop.now()
    },
    got: (call, content) => {
      call.content = content
      const run = runs.find((one) => one.content === content)
      if (run?.endedAt === undefined) {
        return violated('value', `${call.client.process.name} got ${content} of no run`)
      }
      checkValue(call, run)
      run.seenAt = Math.min(run.seenAt, loop.now())
    },
    forget: () => {
      const one = { calledAt: loop.now(), endedAt: Infinity, isComplete: false }
      forgets.push(one)
      return one
    },
  }
}
