import { warnOnce } from '../../util/warn-once.ts'

/** A callback of a timer or an event. Nobody could catch its error, which would end the process. */
export const guarded =
  <Args extends readonly unknown[]>(run: (...args: Args) => void) =>
  (...args: Args): void => {
    try {
      run(...args)
    } catch (error) {
      warnOnce(`a callback of a response has failed: ${String(error)}`)
    }
  }
