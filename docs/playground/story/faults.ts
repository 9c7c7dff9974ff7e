import type { Action } from '../world/actions.ts'
import type { NodeState, Recording } from '../world/recording.ts'
import { nodeCount } from '../world/settings.ts'
import type { Step } from './step.ts'
import { clients, duration, nodes, sentence } from './words.ts'

const actionText = (action: Action): string => {
  if (action.kind === 'click') return ''
  if (action.kind === 'pause')
    return (
      `${clients(action.client)} stands still for ${duration(action.time)}, as in a long garbage collection ` +
      `or a suspended machine.`
    )
  const node = nodes([action.node])
  switch (action.kind) {
    case 'hang':
      return `${node} hangs: it takes requests and does not answer.`
    case 'kill':
      return `${node} is down: requests to it fail.`
    case 'recover':
      return `${node} is well again, with its data.`
    case 'restart':
      return (
        `${node} restarts empty. It may have forgotten a lock, so it abstains until every such lock ` +
        `has expired.`
      )
  }
}

/** The steps of faults. */
export const faultSteps = ({ facts }: Recording): Step[] =>
  facts.flatMap((fact): Step[] => {
    const { at } = fact
    if (fact.type === 'woke') {
      const name = sentence(clients(fact.client))
      const text = fact.isHeld
        ? `${name} goes on.`
        : `${name} goes on, and does not notice how long it stood still.`
      return [{ at, level: 'key', text }]
    }
    if (fact.type !== 'action' || fact.action.kind === 'click') return []
    return [{ at, level: 'key', tone: 'bad', text: sentence(actionText(fact.action)) }]
  })

/** The moments at which nodes let a lock expire. */
const expiriesOf = ({ nodes, end }: Recording): readonly NodeState[] =>
  Array.from({ length: nodeCount }, (_, node) => nodes.filter((state) => state.node === node)).flatMap(
    (states) =>
      states.filter(({ holder, expiresAt }, index) => {
        const next = states[index + 1]?.at ?? end
        return holder !== undefined && expiresAt < next
      }),
  )

// Ms within which the expiries of one lock are told as one.
const together = 200

/** The steps in which nodes let locks expire. */
export const expirySteps = (recording: Recording): Step[] => {
  const groups: { holder: number; at: number; nodes: number[] }[] = []
  for (const { holder, expiresAt, node } of expiriesOf(recording)) {
    const group = groups.find(
      (one) => one.holder === holder && Math.abs(one.at - expiresAt) < together,
    )
    if (group) {
      group.nodes.push(node)
      group.at = Math.max(group.at, expiresAt)
    } else groups.push({ holder: holder!, at: expiresAt, nodes: [node] })
  }
  return groups.map(({ holder, at, nodes: expired }) => ({
    at,
    level: 'key',
    text: `The lock of ${clients(holder)} expires on ${nodes(expired)}, so that it blocks nobody for ever.`,
  }))
}
