import { recordOn } from './record-on.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import type { Operation } from '../../history/operation.ts'
import { requestName } from '../workload/request-name.ts'
import type { Server } from '../engine/server.ts'
import { checkAlone, type HeldRun } from './held-run.ts'

/** One run of the handler of an idempotent request. */
export type Run = HeldRun & {
  /** Whether its claim was lost before its answer was recorded. */
  readonly wasLost: () => boolean
}

/** Logs the runs and the answers of one idempotent request, and checks each as it happens. */
export type RunLog = {
  readonly runs: readonly Run[]
  readonly answers: readonly string[]
  /** A process asks for the right to run. Returns the number of answers so far. */
  readonly asked: () => number
  /** A process got that right. `asked` is the number of answers when it asked. */
  readonly claimed: (asked: number) => void
  /** A handler begins. */
  readonly begin: (client: SimulatedClient, hold: Operation, wasLost: () => boolean) => Run
  /** A client gets an answer. */
  readonly answered: (client: SimulatedClient, answer: string) => void
}

/** The answer that a server has recorded; undefined if it has none. */
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
