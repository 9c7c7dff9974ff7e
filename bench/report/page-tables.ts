import { footprintColumns, megabytes } from '../footprint/columns.ts'
import { dollarsPerMillion } from '../../tools/prices.ts'
import { steps } from '../requests/costs.ts'
import { figure, percent, table } from './markdown.ts'
import type { Results } from './results.ts'

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
      ...[none, one].map((count) => percent(count, all)),
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

export const handingOnTable = ({ handedOn }: Results['contention']): string =>
  table(
    ['clients', 'wake-up', 'time, against one alone', 'requests each', 'longest / median wait'],
    handedOn.map(({ isWoken, clients, ratio, requestsPerGrant, longestWait, medianWait }) => [
      clients,
      isWoken ? 'yes' : 'no',
      figure(ratio),
      figure(requestsPerGrant, 1),
      figure(longestWait / medianWait),
    ]),
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

export const requestsTable = ({ results }: Results['requests']): string =>
  table(
    ['nodes', '', ...steps],
    results.map(({ nodes, contestant, isEmulated, costs }) => [
      nodes,
      contestant,
      ...steps.map((step, index) => {
        const cost = costs[step]
        if (!cost) return '-'
        const star = isEmulated && index > 1 ? ' *' : ''
        return `${figure(cost.sent, 1)}; ${figure(cost.executed, 1)}, $${dollarsPerMillion(cost.executed)}${star}`
      }),
    ]),
  )

export const footprintTable = ({ results }: Results['footprint']): string =>
  table(
    ['', ...footprintColumns],
    results.map((one) => [
      one.contestant,
      ...[one.held, one.released, one.fence, one.refused].map((bytes) =>
        bytes === undefined ? '-' : `${Math.max(0, Math.round(bytes))}`,
      ),
      `${Math.round(one.throttle)}${one.isEmulated ? ' *' : ''}`,
      megabytes(one.steady),
    ]),
  )
