/**
 * The requests that a call may still send. An acquire takes two for each node, since a node that grants may
 * have to be released. The second is reserved until the node has refused.
 */
export type Budget = {
  left: number
  reserved: number
  /** The requests that a call leaves to others that share the budget, instead of waiting any longer. */
  kept: number
  /** The requests that end the locks of those that share the budget. */
  aside: number
}

export const newBudget = (left: number): Budget => ({ left, reserved: 0, kept: 0, aside: 0 })

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

/**
 * Sets the requests aside that end a lock, while others that share the budget run under it.
 *
 * @returns what gives them back.
 */
export const setAside = (budget: Budget, nodes: number): (() => void) => {
  budget.left -= nodes
  budget.aside += nodes
  let isAside = true
  return () => {
    if (!isAside) return
    isAside = false
    budget.left += nodes
    budget.aside -= nodes
  }
}

/** Whether so many nodes can be asked, and released. */
export const isAffordable = ({ left }: Pick<Budget, 'left'>, nodes: number): boolean =>
  left >= 2 * nodes

/** Whether so many nodes can be asked to extend a lock, and to release it. */
export const mayExtend = ({ left, aside }: Budget, nodes: number): boolean =>
  isAffordable({ left: left + Math.min(aside, nodes) }, nodes)

/** Whether a call that waits can ask so many nodes once more. */
export const mayRetry = ({ left, kept }: Budget, nodes: number): boolean =>
  isAffordable({ left: left - kept }, nodes)

/**
 * Whether that may be so once the nodes have refused what they were asked.
 *
 * @param tries - How many times in a row they can be asked then.
 */
export const mayBecomeAffordable = (
  { left, reserved, kept }: Budget,
  nodes: number,
  tries: number = 1,
): boolean => left + reserved - kept >= (tries + 1) * nodes
