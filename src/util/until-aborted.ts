import { onAbort } from './clock.ts'

/** A promise that also rejects when the signal aborts; `begin` returns what to do at its end. */
export const untilAborted = <T>(
  signal: AbortSignal,
  begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> => {
  let end = (): void => {}
  let stopListening = (): void => {}
  const promise = new Promise<T>((resolve, reject) => {
    signal.throwIfAborted()
    stopListening = onAbort(signal, () => reject(signal.reason))
    end = begin(resolve, reject)
  })
  return promise.finally(() => {
    stopListening()
    end()
  })
}
