import { steps } from '../requests/costs.ts'
import { draw, groupedBars, lines, unique } from './chart.ts'
import { drawRegions } from './regions-chart.ts'
import type { All, Results } from './results.ts'
import { drawSick } from './sick-charts.ts'

const drawLatency = async ({ results }: Results['latency']): Promise<void> => {
  const conditions = unique(results.map(({ weather }) => weather))
  const series = unique(results.map(({ contestant }) => contestant)).map((name) => ({
    name,
    data: conditions.map(
      (condition) =>
        results.find((one) => one.contestant === name && one.weather === condition)?.ratio,
    ),
  }))
  const text = 'Median acquire, over the quorum-th fastest reply of its own round (none: no answer)'
  await draw('latency', groupedBars(text, 'times the minimum', conditions, series, 2))
}

const drawBursts = async ({ bursts }: Results['contention']): Promise<void> => {
  const sizes = unique(bursts.map(({ size }) => size))
  const seriesOf = (read: (one: (typeof bursts)[number]) => number | undefined) =>
    unique(bursts.map(({ contestant }) => contestant)).map((name) => ({
      name,
      data: sizes.map((size) => {
        const one = bursts.find((other) => other.contestant === name && other.size === size)
        return one && read(one)
      }),
    }))
  const axis = (name: string) => ({ name, nameLocation: 'middle', nameGap: 46 }) as const
  await draw(
    'winners',
    lines(
      'Bursts with exactly one winner',
      { ...axis('% of all bursts'), min: 0, max: 100 },
      sizes,
      seriesOf(({ one, bursts: all }) => (100 * one) / all),
    ),
  )
  await draw(
    'burst-requests',
    lines(
      'Requests of a burst',
      { ...axis('requests'), type: 'log' },
      sizes,
      seriesOf(({ requests }) => requests),
    ),
  )
  await draw(
    'burst-times',
    lines(
      'Median time to the winner, where there is one',
      axis('ms'),
      sizes,
      seriesOf(({ toWinner }) => toWinner),
    ),
  )
}

const middleOf = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[values.length >> 1]

const drawWaiters = async ({ waiters, bounds }: Results['contention']): Promise<void> => {
  const counts = bounds.map(([count]) => count)
  const series = unique(waiters.map(({ contestant }) => contestant)).map((name) => ({
    name,
    data: bounds.map(([count, bound]) =>
      middleOf(
        waiters
          .filter(
            (one) => one.contestant === name && one.waiters === count && one.granted === count,
          )
          .map(({ time }) => time / bound),
      ),
    ),
  }))
  const text =
    'Time until all waiting clients have had the lock, over one client without contention (none: not all got it)'
  const groups = counts.map((count) => `${count} wait`)
  await draw('waiters', groupedBars(text, 'times', groups, series, 2))
}

const drawCpu = async ({ results }: Results['cpu']): Promise<void> => {
  const matches = unique(results.map(({ match }) => match))
  const series = unique(results.map(({ name }) => name)).map((name) => ({
    name,
    data: matches.map((match) => {
      const one = results.find((other) => other.name === name && other.match === match)
      return one && one.perSecond.fresh / 1000
    }),
  }))
  const text = 'Cycles of acquire and release per second of processor time'
  await draw('cpu', groupedBars(text, 'thousands', matches, series, 0))
}

const drawRequests = async ({ results }: Results['requests']): Promise<void> => {
  const five = results.filter(({ nodes }) => nodes === 5)
  const series = five.map(({ contestant, costs }) => ({
    name: contestant,
    data: steps.map((step) => costs[step]?.sent ?? 0),
  }))
  await draw('requests', groupedBars('Commands over five nodes', 'commands', [...steps], series, 0))
}

/** Draws all charts of the results. */
export const drawAll = async (all: All): Promise<void> => {
  await drawLatency(all.latency.result)
  await drawBursts(all.contention.result)
  await drawWaiters(all.contention.result)
  await drawSick(all.sick.result)
  await drawRegions(all.regions.result)
  await drawCpu(all.cpu.result)
  await drawRequests(all.requests.result)
}
