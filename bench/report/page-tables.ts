import {
  edgeRedlock,
  edgeRedlockFrugal,
} from '../../verification/comparison/contestants/edge-redlock.ts'
import type { Name, Results, Saved } from './results.ts'

/** All results. */
export type All = { readonly [name in Name]: Saved<name> }

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

const figure = (value: number | undefined, digits = 2): string =>
  value === undefined ? '-' : Number.isInteger(value) ? `${value}` : value.toFixed(digits)

type TargetRow = readonly [what: string, value: string, target: string, verdict: string]

const verdict = (isMet: boolean): string => (isMet ? 'met' : '**missed**')

/** Every target, with the measured value. */
const targetRows = ({ latency, contention, requests }: All): TargetRow[] => [
  ...latency.result.results
    .filter(({ most }) => most !== undefined)
    .map(({ weather, ratio, most, isMet }): TargetRow => [
      `acquire p50 over the theoretical minimum, ${weather}`,
      figure(ratio, 3),
      `<= ${most}`,
      verdict(isMet),
    ]),
  ...contention.result.bars.map(({ about, contestant, size, value, most, isMet }): TargetRow => [
    `${about}, ${size} clients (${contestant})`,
    figure(value),
    `<= ${most}`,
    verdict(isMet),
  ]),
  ...requests.result.results
    .filter(({ contestant }) => [edgeRedlock.name, edgeRedlockFrugal.name].includes(contestant))
    .map(({ contestant, nodes, costs }): TargetRow => [
      `requests for a repeated throttle rejection, ${nodes} nodes (${contestant})`,
      figure(costs['rejected again']),
      '0',
      verdict(costs['rejected again'] === 0),
    ]),
]

export const latencyTable = ({ results }: Results['latency']): string =>
  table(
    ['', '', 'p50 ms', 'p99 ms', 'minimum ms', 'p50 / minimum', 'no answer'],
    results.map(({ weather, contestant, p50, p99, minimum, ratio, unanswered }) => [
      weather,
      contestant,
      ...[p50, p99, minimum].map((value) => figure(value, 1)),
      figure(ratio),
      unanswered || '',
    ]),
  )

export const burstsTable = ({ bursts }: Results['contention']): string =>
  table(
    ['at once', '', 'bursts', 'no winner', 'exactly one', 'requests', 'ms to the winner'],
    bursts.map(({ size, contestant, bursts: all, none, one, requests, toWinner }) => [
      size,
      contestant,
      all,
      ...[none, one].map((count) => `${((100 * count) / all).toFixed(1)} %`),
      figure(requests, 1),
      figure(toWinner, 0),
    ]),
  )

export const waitersTable = ({ waiters, bounds }: Results['contention']): string =>
  table(
    ['wait', '', 'got it', 'ms', 'against one alone', 'requests each', 'longest / median wait'],
    waiters.map((one) => {
      const isDone = one.granted === one.waiters
      const bound = bounds.find(([count]) => count === one.waiters)![1]
      return [
        one.waiters,
        one.contestant,
        one.granted,
        isDone ? figure(one.time, 0) : `over ${figure(one.time, 0)}`,
        isDone ? figure(one.time / bound) : '-',
        one.granted > 0 ? figure(one.requestsPerGrant, 1) : '-',
        isDone ? figure(one.longestWait / one.medianWait) : '-',
      ]
    }),
  )

export const cpuTable = ({ results }: Results['cpu']): string =>
  table(
    ['', '', 'cycles/s', 'of one key/s', 'KB per cycle', 'KB per held lock'],
    results.map(({ match, name, perSecond, bytesPerCycle, bytesPerLock }) => [
      match,
      name,
      figure(Math.round(perSecond.fresh)),
      figure(Math.round(perSecond.same)),
      (bytesPerCycle / 1024).toFixed(1),
      bytesPerLock === undefined ? '' : (bytesPerLock / 1024).toFixed(1),
    ]),
  )

export const requestsTable = ({ results }: Results['requests']): string => {
  const steps = Object.keys(results[0]!.costs) as (keyof (typeof results)[number]['costs'])[]
  return table(
    ['nodes', '', ...steps],
    results.map(({ nodes, contestant, isEmulated, costs }) => [
      nodes,
      contestant,
      ...steps.map((step, index) => figure(costs[step], 1) + (isEmulated && index > 1 ? ' *' : '')),
    ]),
  )
}

/** All targets with the measured values. */
export const targetsTable = (all: All): string =>
  table(['', 'measured', 'target', ''], targetRows(all))
