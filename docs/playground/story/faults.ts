import type { Action, NodeFault } from '../world/actions.ts'
import type { NodeState, Recording } from '../world/recording.ts'
import { nodeCount } from '../world/settings.ts'
import type { Step } from './step.ts'
import { clients, duration, nodes, sentence, thing } from './words.ts'

const faultTexts: Readonly<Record<NodeFault, string>> = {
  hang: 'hangs: it takes requests and does not answer.',
  kill: 'is down: requests to it fail.',
  recover: 'is well again, with its data.',
  restart:
    'restarts empty. It may have forgotten a lock, so it abstains until every such lock has expired.',
}

const actionText = (action: Action): string | undefined => {
  if (action.kind === 'click') return undefined
  if (action.kind !== 'pause') return `${nodes([action.node])} ${faultTexts[action.kind]}`
  const [name, time] = [clients(action.client), duration(action.time)]
  return `${name} is paused for ${time}, as by a long garbage collection or a suspended machine.`
}

/** The steps of faults. */
export const faultSteps = ({ facts }: Recording): Step[] =>
  facts.flatMap((fact): Step[] => {
    const { at } = fact
    if (fact.type === 'woke') {
      const name = sentence(clients(fact.client))
      const text = fact.isHeld
        ? `${name} resumes.`
        : `${name} resumes, and does not notice how long it was paused.`
      return [{ at, level: 'key', text }]
    }
    const text = fact.type === 'action' ? actionText(fact.action) : undefined
    return text ? [{ at, level: 'key', tone: 'bad', text: sentence(text) }] : []
  })

/** The moments at which nodes let a lock expire. */
const expiriesOf = ({ nodes, end }: Recording): readonly NodeState[] =>
  Array.from({ length: nodeCount }, (_, node) =>
    nodes.filter((state) => state.node === node),
  ).flatMap((states) =>
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
    text: `The ${thing(recording)} of ${clients(holder)} expires on ${nodes(expired)}, so that it blocks nobody for ever.`,
  }))
}
