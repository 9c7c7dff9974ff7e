import Table from 'cli-table3'
import type { Bursts } from './burst.ts'
import type { Target } from './targets.ts'
import type { Waiters } from './waiters.ts'
import type { HandingOn } from './wake-up.ts'

const style = { compact: true }

export const tableOfBursts = (results: readonly Bursts[]): string => {
  const table = new Table({
    head: ['clients', '', 'bursts', 'no winner', 'one', 'several', 'requests', 'ms to the winner'],
    style,
  })
  for (const { contestant, size, bursts, none, one, several, requests, toWinner } of results) {
    const shares = [none, one, several].map((count) => `${((100 * count) / bursts).toFixed(1)} %`)
    const cells = [...shares, requests.toFixed(1), toWinner?.toFixed(0) ?? '-']
    table.push([size, contestant, bursts, ...cells])
  }
  return table.toString()
}

export const tableOfWaiters = (
  results: readonly Waiters[],
  bounds: ReadonlyMap<number, number>,
): string => {
  const table = new Table({
    head: ['wait', '', 'got it', 'ms', 'against one alone', 'requests each', 'longest / median'],
    style,
  })
  for (const one of results) {
    const { contestant, waiters, granted, time, requestsPerGrant, longestWait, medianWait } = one
    const isDone = granted === waiters
    const ratio = time / bounds.get(waiters)!
    table.push([
      waiters,
      contestant,
      granted,
      isDone ? time.toFixed(0) : `over ${time.toFixed(0)}`,
      isDone ? ratio.toFixed(2) : '-',
      requestsPerGrant.toFixed(1),
      isDone ? (longestWait / medianWait).toFixed(2) : '-',
    ])
  }
  return table.toString()
}

export const tableOfHandingOn = (results: readonly HandingOn[]): string => {
  const table = new Table({
    head: ['clients', 'wake-up', 'against one alone', 'requests each', 'longest / median'],
    style,
  })
  for (const { isWoken, clients, ratio, requestsPerGrant, longestWait, medianWait } of results) {
    table.push([
      clients,
      isWoken ? 'yes' : 'no',
      ratio.toFixed(2),
      requestsPerGrant.toFixed(1),
      (longestWait / medianWait).toFixed(2),
    ])
  }
  return table.toString()
}

/** All targets in one line. */
export const lineOfTargets = (targets: readonly Target[]): string =>
  targets
    .map(({ about, contestant, size, value, most: max, isMet }) => {
      const figure = Number.isInteger(value) ? `${value}` : value.toFixed(2)
      return `${size} ${contestant}: ${about} ${figure} (at most ${max}${isMet ? '' : ', MISSED'})`
    })
    .join('; ')
