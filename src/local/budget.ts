/**
 * The requests that a call may still send. An acquire takes two for each node, since a node that grants may
 * have to be released. The second is reserved until the node has refused.
 */
export type Budget = {
  left: number
  reserved: number
}

export const newBudget = (left: number): Budget => ({ left, reserved: 0 })

/** Takes the requests of an acquire, and reserves those of its releases. */
export const reserve = (budget: Budget, nodes: number): void => {
  budget.left -= 2 * nodes
  budget.reserved += nodes
}

/** Gives back what was reserved for releases that are not needed, or are about to be sent. */
export const refund = (budget: Budget, nodes: number): void => {
  budget.left += nodes
  budget.reserved -= nodes
}

/** Whether so many nodes can be asked, and released. */
export const isAffordable = ({ left }: Budget, nodes: number): boolean => left >= 2 * nodes

/**
 * Whether that may be so once the nodes have refused what they were asked.
 *
 * @param tries - How many times in a row they can be asked then.
 */
export const mayBecomeAffordable = (
  { left, reserved }: Budget,
  nodes: number,
  tries: number = 1,
): boolean => left + reserved >= (tries + 1) * nodes
