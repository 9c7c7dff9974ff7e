import { randomUUID } from 'node:crypto'
import { until } from '../../tools/cli/until.ts'
import type { Contestant, Session } from '../../verification/comparison/contestants/contestant.ts'
import { sleep } from '../../verification/comparison/faults.ts'
import { type Address, faultyNode } from '../../verification/comparison/nodes.ts'
import { settle } from '../../verification/comparison/observation.ts'
import { remote } from '../shared/distance.ts'
import { faultOf } from './faults.ts'

/** The results of pairs of requests, each of which runs a routine under one lock. */
export type Trials = {
  readonly contestant: string
  readonly condition: string
  /** How many were to be measured, and how many were: fewer where the machine was too busy. */
  readonly wanted: number
  readonly trials: number
  /** The trials in which both routines ran at the same time, and those in which none ran. */
  readonly overlaps: number
  readonly nobody: number
  /** The routines that ran, and those among them whose lock was reported as lost. */
  readonly routines: number
  readonly lost: number
  /** Calls that had not settled in time. */
  readonly unanswered: number
  /** Trials that were run again, since a process of the measurement had stood still. */
  readonly disturbed: number
}

const ttl = 1000
const routineTime = 2000
// The usual number of tries of this project; the delays between them are those of each library.
const retries = 9

// How many trials may be run again, per trial that counts.
const maxDisturbed = 5

/** One routine, in ms of the clock of this process. */
type Routine = { readonly begun: number; ended: number; isLost: boolean }

type Trial = {
  readonly routines: readonly Routine[]
  readonly unanswered: number
  readonly isDisturbed: boolean
}

/** Two requests at once for a fresh key, over nodes one of which is sick. */
const runTrial = async (
  pair: readonly Session[],
  { limit, stalls }: TrialOptions,
): Promise<Trial> => {
  const key = randomUUID()
  const before = stalls()
  const routines: Routine[] = []
  const outcomes = await Promise.all(
    pair.map((session) => {
      const running = session.run!(key, async (isLost) => {
        const routine: Routine = { begun: performance.now(), ended: Infinity, isLost: false }
        routines.push(routine)
        await sleep(routineTime)
        routine.ended = performance.now()
        routine.isLost = isLost()
      })
      return settle(running, limit)
    }),
  )
  const unanswered = outcomes.filter(({ state }) => state === 'pending').length
  return { routines, unanswered, isDisturbed: stalls() > before }
}

const overlap = ({ routines: [first, second] }: Trial): boolean =>
  first !== undefined && second !== undefined && second.begun < first.ended

/** Opens two clients. Their connections are open, and the node of that rank then hangs, if given. */
const openPair = async (
  contestant: Contestant,
  addresses: readonly Address[],
  hanging: number | undefined,
): Promise<Session[]> => {
  const open = async (): Promise<Session> => {
    const nodes = addresses.map(faultyNode)
    const setup = { nodes, ttl, retries, timeout: undefined, quorum: undefined }
    const session = await contestant.open(setup)
    await (await session.acquire([randomUUID()])).release()
    const sick = hanging === undefined ? undefined : faultOf({ rank: hanging, late: undefined })
    for (const [index, node] of nodes.entries()) node.fault = sick?.(index) ?? remote
    return session
  }
  return [await open(), await open()]
}

export type TrialOptions = {
  readonly trials: number
  /** How many trials run at the same time. */
  readonly pairs: number
  /** Ms after which a call is not waited for: it may wait for the other routine, and run its own. */
  readonly limit: number
  /** How often a process of the measurement has stood still so far. */
  readonly stalls: () => number
}

/** Runs trials. `hanging`: the rank of the node that hangs for a pair; undefined for none. */
const runTrials = async (
  contestant: Contestant,
  addresses: readonly Address[],
  options: TrialOptions,
  hanging: (pair: number) => number | undefined,
  meanwhile: <T>(work: () => Promise<T>) => Promise<T> = (work) => work(),
): Promise<Trial[]> => {
  const { trials, pairs } = options
  const opened: Session[][] = []
  try {
    for (let pair = 0; pair < Math.min(pairs, trials); pair++) {
      opened.push(await openPair(contestant, addresses, hanging(pair)))
    }
    const results: Trial[] = []
    let [left, disturbed] = [trials, 0]
    const runAll = async (pair: readonly Session[]): Promise<void> => {
      while (left-- > 0) {
        const trial = await runTrial(pair, options)
        results.push(trial)
        if (!trial.isDisturbed) continue
        left++
        // The targets miss the trials that are left out.
        if (++disturbed > maxDisturbed * trials) left = 0
      }
    }
    await meanwhile(() => Promise.all(opened.map(runAll)))
    return results
  } finally {
    for (const session of opened.flat()) session.close()
  }
}

const summarize = (
  contestant: Contestant,
  condition: string,
  wanted: number,
  run: readonly Trial[],
): Trials => {
  // A process that stands still for long loses its lock, whatever it does.
  const all = run.filter(({ isDisturbed }) => !isDisturbed)
  const routines = all.flatMap((trial) => trial.routines)
  return {
    contestant: contestant.name,
    condition,
    wanted,
    trials: all.length,
    overlaps: all.filter(overlap).length,
    nobody: all.filter((trial) => trial.routines.length === 0).length,
    routines: routines.length,
    lost: routines.filter(({ isLost }) => isLost).length,
    unanswered: all.reduce((sum, trial) => sum + trial.unanswered, 0),
    disturbed: run.length - all.length,
  }
}

/** One node hangs in the transport: another one for each pair. */
export const measureHanging = async (
  contestant: Contestant,
  addresses: readonly Address[],
  options: TrialOptions,
): Promise<Trials> => {
  const all = await runTrials(contestant, addresses, options, (pair) => pair % addresses.length)
  return summarize(contestant, 'one node hangs', options.trials, all)
}

/**
 * Waits until all nodes answer at once again. A server that goes on has all requests of the meantime
 * before it, which keep the gateways busy, too.
 */
const settleNodes = async (addresses: readonly Address[]): Promise<void> => {
  const ping = async ({ url, token }: Address): Promise<void> => {
    const headers = { authorization: `Bearer ${token}` }
    await (await fetch(url, { method: 'POST', headers, body: '["PING"]' })).text()
  }
  const answerAtOnce = async (): Promise<boolean> => {
    const begun = performance.now()
    const answers = await Promise.allSettled(addresses.map(ping))
    const hasAll = answers.every(({ status }) => status === 'fulfilled')
    return hasAll && performance.now() - begun < 50
  }
  await until(answerAtOnce, 60_000, 'the nodes did not answer at once')
}

/** The process of one server is stopped by SIGSTOP: of each server in turn, for a share of the trials. */
export const measureStopped = async (
  contestant: Contestant,
  addresses: readonly Address[],
  pids: readonly number[],
  options: TrialOptions,
): Promise<Trials> => {
  const all: Trial[] = []
  for (const pid of pids) {
    const share = { ...options, trials: Math.ceil(options.trials / pids.length) }
    const whileStopped = async <T>(work: () => Promise<T>): Promise<T> => {
      process.kill(pid, 'SIGSTOP')
      try {
        return await work()
      } finally {
        process.kill(pid, 'SIGCONT')
      }
    }
    all.push(...(await runTrials(contestant, addresses, share, () => undefined, whileStopped)))
    await settleNodes(addresses)
  }
  return summarize(contestant, 'one server stopped (SIGSTOP)', options.trials, all)
}
