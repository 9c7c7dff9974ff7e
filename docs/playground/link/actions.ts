import { type Action, type NodeFault, nodeFaults } from '../world/actions.ts'
import { maxClients, nodeCount } from '../world/settings.ts'

// In the url an action is its moment, its name, and whom it is for, counted from 1:
// `0.hang.3_160.pause.1.1500_900.click`.

// Ms. A run is not longer.
const longest = 60_000

export const writeAction = (action: Action): string => {
  const { at, kind } = action
  if (kind === 'click') return `${at}.${kind}`
  if (kind === 'pause') return `${at}.${kind}.${action.client + 1}.${action.time}`
  return `${at}.${kind}.${action.node + 1}`
}

const isWithin = (value: number | undefined, min: number, max: number): value is number =>
  Number.isInteger(value) && value! >= min && value! <= max

/** Returns undefined if it is no action. */
export const readAction = (text: string): Action | undefined => {
  const [time, kind = '', ...words] = text.split('.')
  if ([time, ...words].some((word) => !/^\d{1,6}$/.test(word ?? ''))) return undefined
  const at = Number(time)
  const [whom, length] = words.map(Number)
  if (!isWithin(at, 0, longest)) return undefined
  if (kind === 'click' && words.length === 0) return { at, kind }
  if (kind === 'pause' && words.length === 2) {
    if (!isWithin(whom, 1, maxClients) || !isWithin(length, 1, longest)) return undefined
    return { at, kind, client: whom - 1, time: length }
  }
  const isFault = (nodeFaults as readonly string[]).includes(kind) && words.length === 1
  if (!isFault || !isWithin(whom, 1, nodeCount)) return undefined
  return { at, kind: kind as NodeFault, node: whom - 1 }
}
