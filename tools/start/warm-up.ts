import { areAllAccepted, burstOfOneUser, burstOfTenUsers, hasOneWinner } from './burst.ts'

// The Worker counts as warm after this many rounds in a row that were not faster than earlier ones.
const patience = 3
const maxRounds = 20

/** Whether the last rounds were all correct, and none of them was faster than the earlier ones. */
const isSettled = (times: readonly number[]): boolean =>
  times.length > patience &&
  times.slice(-patience).every(Number.isFinite) &&
  Math.min(...times.slice(-patience)) >= Math.min(...times.slice(0, -patience))

/**
 * Sends uncounted bursts, in rounds of one burst of each kind, until they no longer become faster. The first requests
 * open connections, load the script on each node and wait for compilers. A Worker in production does this only once.
 *
 * @returns the number of bursts.
 */
export const warmUp = async (url: string, stop: AbortSignal): Promise<number> => {
  const times: number[] = []
  while (!isSettled(times) && times.length < maxRounds && !stop.aborted) {
    const start = performance.now()
    const isCorrect =
      hasOneWinner(await burstOfOneUser(url)) && areAllAccepted(await burstOfTenUsers(url))
    times.push(isCorrect ? performance.now() - start : Infinity)
  }
  return 2 * times.length
}
