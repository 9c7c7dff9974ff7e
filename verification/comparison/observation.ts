import type { Feature } from './contestants/contestant.ts'
import type { Stage } from './stage.ts'

export type Value = 'ok' | 'FAILS' | 'none'

/** What one contestant was seen to do in one case. */
export type Observation = {
  readonly value: Value
  readonly saw: string
  /** True for an ok that needs a timeout for commands, which its README does not ask for. */
  readonly needsTimeout?: boolean
}

/** One behaviour: a row of the matrix. */
export type Behaviour = {
  readonly id: string
  readonly title: string
  /** What is done to find out. */
  readonly test: string
  /** Where it is known from. */
  readonly known: string
  /** Without these there is nothing to look at. */
  readonly needs?: readonly Feature[]
  /** Whether something hangs in it: then it is also played without a timeout for commands. */
  readonly hangs?: true
  readonly run: (stage: Stage) => Promise<Observation>
}

export const ok = (saw: string): Observation => ({ value: 'ok', saw })
export const fails = (saw: string): Observation => ({ value: 'FAILS', saw })
export const none = (saw: string): Observation => ({ value: 'none', saw })

/** In tenths, since the rest differs from run to run. */
export const seconds = (time: number): string =>
  time < 100 ? 'less than 0.1 s' : `${(time / 1000).toFixed(1)} s`

/** How a promise stood when it settled, or after so many ms. */
export type Outcome<T> =
  | { readonly state: 'resolved'; readonly time: number; readonly value: T }
  | { readonly state: 'rejected'; readonly time: number; readonly error: unknown }
  | { readonly state: 'pending'; readonly time: number }

export const settle = <T>(work: Promise<T>, within: number): Promise<Outcome<T>> =>
  new Promise((resolve) => {
    const start = performance.now()
    const time = (): number => performance.now() - start
    const timer = setTimeout(() => resolve({ state: 'pending', time: time() }), within)
    work
      .then(
        (value) => resolve({ state: 'resolved', time: time(), value }),
        (error: unknown) => resolve({ state: 'rejected', time: time(), error }),
      )
      .finally(() => clearTimeout(timer))
  })

/** An outcome in words. Keys differ from run to run, and are left out. */
export const describe = (outcome: Outcome<unknown>): string => {
  if (outcome.state === 'pending') return `pending after ${seconds(outcome.time)}`
  if (outcome.state === 'resolved') return 'resolved'
  const { name, message } = outcome.error as Error
  const text = message.replace(/rivals-[0-9a-f-]+/g, 'KEY')
  return `${name} "${text.length > 80 ? `${text.slice(0, 80)}...` : text}"`
}
