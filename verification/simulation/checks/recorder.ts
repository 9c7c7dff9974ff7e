import type { EventLoop } from '../engine/event-loop.ts'
import type { Operation } from '../../history/operation.ts'
import { makeOperations } from '../../history/operations.ts'
import type { Step } from '../../history/records.ts'
import type { Asking, Violation } from './records.ts'
import { observeServers, type ServerObserver } from './server-oracle.ts'
import { anotherPace, promises, type Weather } from './weather.ts'
import { addWinnerCounts, type WinnerCounts } from './winner-counts.ts'

type Called = Extract<Step, { type: 'called' }>

/** Records the events of a history, and violations of guarantees. */
export type Recorder = ServerObserver & {
  /** The operations of all clients. */
  readonly operations: () => readonly Operation[]
  /** Records a call of a process. */
  readonly called: (process: string, call: Omit<Called, 'type'>) => Operation
  /** Records the next step of an operation. */
  readonly say: (operation: Operation, step: Step) => void
  /** By lock value, in order of the first request. */
  readonly askings: Map<string, Asking>
  readonly violations: Violation[]
  readonly coverage: Map<string, number>
  /** Counts an event that the history has covered. */
  readonly covered: (name: string) => void
  readonly violated: (check: string, text: string) => void
  /** Records that a limit on time or requests was exceeded: a violation at the usual pace, and only counted otherwise. */
  readonly exceeded: (check: string, text: string) => void
  /** The measurements of the history, by name. */
  readonly samples: Map<string, number[]>
  readonly winners: WinnerCounts
  /** Counts a burst. `isLost`: it had too few winners. */
  readonly burstEnded: (weather: Weather, isLost: boolean) => void
  /** Records a measured value. Values from histories at an unusual pace share one name. */
  readonly measured: (name: string, value: number) => void
  /** Records that a process sends a request. Returns the request's name in traces, an ID, and its lock value. */
  readonly requestSent: (
    process: string,
    server: string,
    body: readonly string[],
  ) => { readonly name: string; readonly id: string; readonly value: string }
  /** Records that a process receives a reply to a request with a lock value. */
  readonly answerReceived: (value: string) => void
  /** Records that a process begins a call. */
  readonly beginCall: (process: string) => void
  /**
   * Records that a call of a process has ended, with all its background work. Returns the lock values that the process
   * has requested since it was last idle; none while its other calls are pending.
   */
  readonly endCall: (process: string) => ReadonlySet<string>
}

const operations: Record<string, string> = {
  a: 'acquire',
  c: 'complete',
  e: 'extend',
  i: 'inspect',
  r: 'release',
}

export const makeRecorder = (loop: EventLoop, quorum: number, isUsualPace: boolean): Recorder => {
  const { now, trace } = loop
  const coverage = new Map<string, number>()
  const askings = new Map<string, Asking>()
  const violations: Violation[] = []
  const samples = new Map<string, number[]>()
  const winners: WinnerCounts = new Map()
  const history = makeOperations()
  const callsUnderWay = new Map<string, number>()
  const requestsSent = new Map<string, number>()
  const acquiresSent = new Set<string>()
  const valuesRequested = new Map<string, Set<string>>()
  const covered = (name: string): void => void coverage.set(name, (coverage.get(name) ?? 0) + 1)
  const violated = (check: string, text: string): void => {
    trace.say(() => `VIOLATION of ${check}: ${text}`)
    violations.push({ check, text })
  }
  const observer = observeServers(loop, quorum, covered, violated)
  const { oracle } = observer
  return {
    ...observer,
    operations: () => [...history.all.values()],
    called: (process, call) => {
      const op = `${process}#${history.all.size + 1}`
      return history.add({ type: 'called', ...call, at: now(), process, op })
    },
    say: ({ process, op }, step) => void history.add({ ...step, at: now(), process, op }),
    askings,
    violations,
    coverage,
    covered,
    violated,
    exceeded: (check, text) => {
      if (isUsualPace) violated(check, text)
      else covered(`${check} at another pace`)
    },
    samples,
    winners,
    burstEnded: (weather, isLost) => {
      const counted = isUsualPace || promises[weather] === undefined ? weather : anotherPace
      addWinnerCounts(winners, [[counted, { bursts: 1, lost: isLost ? 1 : 0 }]])
    },
    measured: (name, value) => {
      const paced = isUsualPace ? name : anotherPace
      const values = samples.get(paced)
      if (values) values.push(value)
      else samples.set(paced, [value])
    },
    requestSent: (process, server, body) => {
      if (!callsUnderWay.get(process)) {
        violated('settled', `${process} sends a request after its last call has ended`)
      }
      const key = body[3]
      const firstArgument = 3 + Number(body[2])
      const operation = body[firstArgument]
      const [value = '', metadata = ''] = body[firstArgument + 1]!.split(' ')
      if (!oracle.firstSent.has(value)) {
        oracle.firstSent.set(value, now())
        askings.set(value, { process, metadata, sentAt: now(), acquires: 0, answeredAt: undefined })
        valuesRequested.set(process, (valuesRequested.get(process) ?? new Set()).add(value))
        oracle.lastRequested.set(`${process} ${key}`, now())
      }
      if (operation === 'a') {
        askings.get(value)!.acquires++
        const acquire = `${value}>${server}`
        if (acquiresSent.has(acquire)) covered('acquire repeated by the leader')
        acquiresSent.add(acquire)
      }
      const name = trace.isOn
        ? `${process} > ${server}  ${operations[operation!]} ${value.slice(0, 8)} on ${key}`
        : ''
      const request = `${process}>${server} ${operation} ${value}`
      const number = (requestsSent.get(request) ?? 0) + 1
      requestsSent.set(request, number)
      return { name, id: `${request} ${number}`, value }
    },
    answerReceived: (value) => {
      const asking = askings.get(value)
      if (asking) asking.answeredAt = now()
    },
    beginCall: (process) => void callsUnderWay.set(process, (callsUnderWay.get(process) ?? 0) + 1),
    endCall: (process) => {
      const others = callsUnderWay.get(process)! - 1
      callsUnderWay.set(process, others)
      if (others > 0) return new Set()
      const values = valuesRequested.get(process) ?? new Set<string>()
      valuesRequested.delete(process)
      return values
    },
  }
}
