import type { Action, NodeFault } from '../world/actions.ts'
import type { Recording } from '../world/recording.ts'
import { nodeCount } from '../world/settings.ts'
import type { Step } from './step.ts'
import { clients, duration, nodes, sentence, thingOf } from './words.ts'

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

type Expiry = {
  readonly node: number
  readonly slot: number
  readonly holder: number
  readonly at: number
}

/** The moments at which nodes let a lock or a slot expire. */
const expiriesOf = ({ nodes, end }: Recording): readonly Expiry[] =>
  Array.from({ length: nodeCount }, (_, node) =>
    nodes.filter((state) => state.node === node),
  ).flatMap((states) =>
    states.flatMap(({ node, slots }, index) =>
      slots.flatMap(({ holder, expiresAt }, slot): Expiry[] => {
        const next = states[index + 1]?.at ?? end
        return holder !== undefined && expiresAt < next
          ? [{ node, slot, holder, at: expiresAt }]
          : []
      }),
    ),
  )

// Ms within which the expiries of one lock are told as one.
const together = 200

/** The steps in which nodes let locks expire. */
export const expirySteps = (recording: Recording): Step[] => {
  const groups: { holder: number; slot: number; at: number; nodes: number[] }[] = []
  for (const { holder, slot, at, node } of expiriesOf(recording)) {
    const group = groups.find(
      (one) => one.holder === holder && one.slot === slot && Math.abs(one.at - at) < together,
    )
    if (group) {
      group.nodes.push(node)
      group.at = Math.max(group.at, at)
    } else groups.push({ holder, slot, at, nodes: [node] })
  }
  return groups.map(({ holder, slot, at, nodes: expired }) => ({
    at,
    level: 'key',
    text: `The ${thingOf(recording, slot)} of ${clients(holder)} expires on ${nodes(expired)}, so that it blocks nobody for ever.`,
  }))
}
