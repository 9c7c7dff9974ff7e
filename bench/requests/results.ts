import { dollarsPerMillion } from '../../tools/prices.ts'
import { isOwn } from '../shared/own.ts'
import { type Columns, figure } from '../shared/table.ts'
import { type Target, target } from '../shared/target.ts'
import { type Costs, type Step, steps } from './costs.ts'

// The maximum cost of a throttle after the same isolate has seen its window closed.
const maxRepeatedRejection = 0

export const targetsOf = (results: readonly Costs[]): Target[] =>
  results.filter(isOwn).map(({ contestant, nodes, costs }) => {
    const about = `a throttle that rejects again, ${nodes} nodes (${contestant})`
    return target(about, costs['rejected again']!.sent, maxRepeatedRejection)
  })

const cellOf = ({ costs, isEmulated }: Costs, step: Step): string => {
  const cost = costs[step]
  if (!cost) return '-'
  const star = isEmulated && steps.indexOf(step) > 1 ? ' *' : ''
  const [sent, executed] = [cost.sent, cost.executed].map((commands) =>
    figure(Number(commands.toFixed(1)), 1),
  )
  return `${sent}; ${executed}, $${dollarsPerMillion(cost.executed)}${star}`
}

export const requestColumns: Columns<Costs> = {
  nodes: ({ nodes }) => nodes,
  library: ({ contestant }) => contestant,
  ...Object.fromEntries(steps.map((step) => [step, (one: Costs) => cellOf(one, step)])),
}
