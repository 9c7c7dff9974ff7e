type Value = 'ok' | 'FAILS' | 'none'

/** How one contestant behaved in one case. */
export type Observation = {
  readonly value: Value
  readonly saw: string
  /** Whether the ok needs a command timeout that the library's README does not ask for. */
  readonly needsTimeout?: boolean
}

export const ok = (saw: string): Observation => ({ value: 'ok', saw })
export const fails = (saw: string): Observation => ({ value: 'FAILS', saw })
export const none = (saw: string): Observation => ({ value: 'none', saw })

/** A time in tenths of a second, because finer digits differ from run to run. */
export const seconds = (time: number): string =>
  time < 100 ? 'less than 0.1 s' : `${(time / 1000).toFixed(1)} s`

/** The state of a promise when it settled or timed out; `time` in ms. */
export type Outcome<T> =
  | { readonly state: 'resolved'; readonly time: number; readonly value: T }
  | { readonly state: 'rejected'; readonly time: number; readonly error: unknown }
  | { readonly state: 'pending'; readonly time: number }

/** Waits until a promise settles, for `limit` ms at most. */
export const settle = <T>(work: Promise<T>, limit: number): Promise<Outcome<T>> =>
  new Promise((resolve) => {
    const start = performance.now()
    const time = (): number => performance.now() - start
    const timer = setTimeout(() => resolve({ state: 'pending', time: time() }), limit)
    work
      .then(
        (value) => resolve({ state: 'resolved', time: time(), value }),
        (error: unknown) => resolve({ state: 'rejected', time: time(), error }),
      )
      .finally(() => clearTimeout(timer))
  })

/** An outcome in words, without the keys, which differ from run to run. */
export const describe = (outcome: Outcome<unknown>): string => {
  if (outcome.state === 'pending') return `pending after ${seconds(outcome.time)}`
  if (outcome.state === 'resolved') return 'resolved'
  const { name, message } = outcome.error as Error
  const text = message.replace(/rivals-[0-9a-f-]+/g, 'KEY')
  return `${name} "${text.length > 80 ? `${text.slice(0, 80)}...` : text}"`
}
