import type { World } from '../engine/event-loop.ts'
import { type Watch, watchServers } from './server-oracle.ts'

/** What a lock was for those who held it, in true time. */
export type Hold = {
  readonly process: string
  readonly keys: readonly string[]
  readonly value: string
  readonly from: number
  /** The end of its validity, as far as it is known. */
  until: number
}

/** A token that a client was given. */
export type Token = {
  readonly keys: readonly string[]
  readonly value: string
  readonly token: number
  /** When its lock was first asked for, when the token was, and when that was confirmed. */
  readonly lockAt: number
  readonly askedAt: number
  readonly confirmedAt: number
}

/** A throttle that let a call pass: when its value was first sent, and when the call returned. */
export type Pass = {
  readonly key: string
  readonly window: number
  readonly askedAt: number
  readonly done: number
}

export type Violation = { readonly check: string; readonly text: string }

/** Notes what happens in a history, and what must not. */
export type Recorder = Watch & {
  readonly holds: Hold[]
  readonly tokens: Token[]
  readonly passes: Pass[]
  readonly violations: Violation[]
  readonly coverage: Map<string, number>
  readonly met: (what: string) => void
  readonly violated: (check: string, text: string) => void
  /** A request leaves a process. Returns what to call it, and the value that it is about. */
  readonly sent: (
    process: string,
    server: string,
    body: readonly string[],
  ) => { readonly name: string; readonly value: string }
  /** What a process does is begun, and is over with all that goes on after it. */
  readonly begin: (process: string) => void
  /** Returns the values that were asked for meanwhile, if nothing else goes on there. */
  readonly end: (process: string) => ReadonlySet<string>
}

const words: Record<string, string> = { a: 'acquire', e: 'extend', i: 'inspect', r: 'release' }

export const makeRecorder = (world: World, quorum: () => number): Recorder => {
  const { now, trace } = world
  const coverage = new Map<string, number>()
  const violations: Violation[] = []
  const open = new Map<string, number>()
  const asked = new Set<string>()
  const asking = new Map<string, Set<string>>()
  const met = (what: string): void => void coverage.set(what, (coverage.get(what) ?? 0) + 1)
  const violated = (check: string, text: string): void => {
    trace.say(() => `VIOLATION of ${check}: ${text}`)
    violations.push({ check, text })
  }
  const watch = watchServers(world, quorum, met, violated)
  const { truth } = watch
  return {
    ...watch,
    holds: [],
    tokens: [],
    passes: [],
    violations,
    coverage,
    met,
    violated,
    sent: (process, server, body) => {
      if (!open.get(process)) violated('settled', `${process} sends after all it did is over`)
      const [, , count, ...rest] = body
      const [operation, owner] = rest.slice(Number(count))
      const value = owner!.split(' ')[0]!
      if (!truth.firstSent.has(value)) {
        truth.firstSent.set(value, now())
        asking.set(process, (asking.get(process) ?? new Set()).add(value))
        truth.lastAsked.set(`${process} ${rest[0]}`, now())
      }
      const once = `${operation}${value}>${server}`
      if (operation === 'a' && asked.has(once)) met('a leader asks again')
      asked.add(once)
      const name = trace.isOn
        ? `${process} > ${server}  ${words[operation!]} ${value.slice(0, 8)} on ${rest[0]}`
        : ''
      return { name, value }
    },
    begin: (process) => void open.set(process, (open.get(process) ?? 0) + 1),
    end: (process) => {
      const others = open.get(process)! - 1
      open.set(process, others)
      const values = (!others && asking.get(process)) || new Set<string>()
      if (others) return values
      asking.delete(process)
      return values
    },
  }
}
