import { warnOnce } from '../../util/warn-once.ts'

/** Wraps a callback of a timer or an event. Without this, an error in the callback would terminate the process. */
export const guarded =
  <Args extends readonly unknown[]>(run: (...args: Args) => void) =>
  (...args: Args): void => {
    try {
      run(...args)
    } catch (error) {
      warnOnce('ERL26', `a callback of a response has failed: ${String(error)}`)
    }
  }
