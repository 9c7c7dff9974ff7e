import { recordOn } from './record-on.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import type { Operation } from '../../history/operation.ts'
import { requestName } from '../workload/request-name.ts'
import type { Server } from '../engine/server.ts'
import { checkAlone, type HeldRun } from './held-run.ts'

/** One run of the handler of an idempotent request. */
export type Run = HeldRun & {
  /** Whether the claim was lost before the response was recorded. */
  readonly wasLost: () => boolean
}

/** Logs the runs of one idempotent request and its responses, and checks each of them as it happens. */
export type RunLog = {
  readonly runs: readonly Run[]
  readonly answers: readonly string[]
  /** Records that a process tries to claim the request. Returns the number of responses so far. */
  readonly asked: () => number
  /** Records that a process claimed the request. `asked` is the number of responses when it tried. */
  readonly claimed: (asked: number) => void
  /** Records that a handler begins. */
  readonly begin: (client: SimulatedClient, hold: Operation, wasLost: () => boolean) => Run
  /** Records that a client receives a response. */
  readonly answered: (client: SimulatedClient, answer: string) => void
}

/** The response that a server has recorded; undefined if there is none. */
export const recordedOn = (server: Server): string | undefined => recordOn(server, requestName)

export const makeRunLog = (scenario: Scenario): RunLog => {
  const { recorder, servers, quorum } = scenario
  const { violated } = recorder
  const runs: Run[] = []
  const answers: string[] = []
  return {
    runs,
    answers,
    asked: () => answers.length,
    claimed: (asked) => {
      if (asked > 0) violated('once', `claimed after the answer ${answers[0]} had been given`)
    },
    begin: (client, hold, wasLost) => {
      checkAlone(scenario, runs)
      const isAfterCrash = runs.some((before) => !before.client.process.isAlive())
      if (isAfterCrash) recorder.covered('request: ran again after a crash')
      const run = { content: `answer-${runs.length + 1}`, client, hold, wasLost }
      runs.push(run)
      return run
    },
    answered: ({ process }, answer) => {
      const [first = answer] = answers
      if (answer !== first) {
        violated('one answer', `${process.name} got ${answer}, and others ${first}`)
      }
      const count = servers.filter((server) => recordedOn(server) === answer).length
      if (count < quorum) {
        violated('majority', `${process.name} got ${answer}, which ${count} servers have`)
      }
      answers.push(answer)
    },
  }
}
