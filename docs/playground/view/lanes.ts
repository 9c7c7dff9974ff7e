import { nodeCount } from '../world/settings.ts'

// The lanes of the timeline: one for each client, each node and the store.

/** A lane, by its middle in pixels from the top. */
export type Lane = { readonly label: string; readonly short: string; readonly y: number }

export type Lanes = {
  readonly clients: readonly Lane[]
  readonly nodes: readonly Lane[]
  readonly store: Lane
  readonly height: number
}

const top = 30
const groupGap = 18
const laneHeight = 28
const nodeGap = 10
const slotHeight = 13

/** The room for the bars of a node: its slots share its lane, one below the other. */
export const nodeBarHeight = (slots: number): number =>
  slots > 1 ? slots * slotHeight : laneHeight - nodeGap

/** Many clients share the room of a few. */
export const clientLaneHeight = (clients: number): number => (clients > 6 ? 20 : 28)

export const lanesOf = (clients: number, slots: number): Lanes => {
  const height = clientLaneHeight(clients)
  const nodeHeight = nodeBarHeight(slots) + nodeGap
  const nodesTop = top + clients * height + groupGap
  const storeTop = nodesTop + nodeCount * nodeHeight + groupGap
  return {
    clients: Array.from({ length: clients }, (_, index) => ({
      label: `client ${index + 1}`,
      short: `C${index + 1}`,
      y: top + (index + 0.5) * height,
    })),
    nodes: Array.from({ length: nodeCount }, (_, index) => ({
      label: `node ${index + 1}`,
      short: `N${index + 1}`,
      y: nodesTop + (index + 0.5) * nodeHeight,
    })),
    store: { label: 'store', short: 'St.', y: storeTop + laneHeight / 2 },
    height: storeTop + laneHeight + 6,
  }
}
