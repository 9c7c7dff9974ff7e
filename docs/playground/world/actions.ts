/** A fault that a node can have. */
export const nodeFaults = ['hang', 'kill', 'recover', 'restart'] as const
export type NodeFault = (typeof nodeFaults)[number]

/** Something that happens at a moment of the run, in ms. Clients and nodes count from 0. */
export type Action = { readonly at: number } & (
  | { readonly kind: NodeFault; readonly node: number }
  | { readonly kind: 'pause'; readonly client: number; readonly time: number }
  | { readonly kind: 'click' }
)

/** The actions in the order in which they happen. */
export const inOrder = (actions: readonly Action[]): readonly Action[] =>
  actions.toSorted((a, b) => a.at - b.at)
